package dev.tallystick.engine.model;

import dev.tallystick.core.GuidLedger;

/**
 * The state after a Leg 2 transition.
 *
 * @param ordinal the dimension assigned to the GUID at its first entry
 * @param closedNow whether this call closed the job
 */
public record Collated(GuidLedger ledger, int ordinal, boolean closedNow) {}
