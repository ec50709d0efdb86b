package dev.tallystick.core;

/** The 15 digits of one activity. */
public record ActivityLedger(long value) {}
