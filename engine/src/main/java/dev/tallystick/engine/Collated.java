package dev.tallystick.engine;

import dev.tallystick.core.GuidLedger;

/**
 * What a Leg 2 transition left behind.
 *
 * @param ordinal the dimension that the GUID was given at its first entry
 * @param closedNow whether this very call closed the job
 */
record Collated(GuidLedger ledger, int ordinal, boolean closedNow) {}
