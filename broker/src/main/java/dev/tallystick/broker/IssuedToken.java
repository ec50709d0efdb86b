package dev.tallystick.broker;

/** A token that was just issued: the only time that its secret is seen. */
public record IssuedToken(Token token, TokenInfo info) {}
