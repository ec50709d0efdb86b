package dev.tallystick.broker.member;

/** A newly issued token: the only time its secret is visible. */
public record IssuedToken(Token token, TokenInfo info) {}
