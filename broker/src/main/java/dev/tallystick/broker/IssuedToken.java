package dev.tallystick.broker;

/** A newly issued token: the only time its secret is visible. */
public record IssuedToken(Token token, TokenInfo info) {}
