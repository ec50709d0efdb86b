package dev.tallystick.core;

/** The 15 digits of one transition. */
public record GuidLedger(long value) {}
