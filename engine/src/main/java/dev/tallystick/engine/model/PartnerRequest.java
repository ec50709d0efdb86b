package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;
import java.util.UUID;

/**
 * A job's request to a participant of the exchange.
 *
 * @param id the GUID of the transition that asks; in a fork that of the job that was forked, so that it is the same request
 * @param payload JSON
 */
public record PartnerRequest(String participant, UUID id, byte[] payload, String mesh, JobId job) {}
