package dev.tallystick.ledger.write;

import dev.tallystick.core.CrashPoints;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/** A ledger's clock, random source and crash points. */
public record LedgerOptions(InstantSource clock, RandomGenerator random, CrashPoints crashPoints) {

    public static LedgerOptions defaults() {
        return new LedgerOptions(InstantSource.system(), new SecureRandom(), CrashPoints.NONE);
    }

    public LedgerOptions withClock(InstantSource other) {
        return new LedgerOptions(other, random, crashPoints);
    }

    public LedgerOptions withCrashPoints(CrashPoints other) {
        return new LedgerOptions(clock, random, other);
    }
}
