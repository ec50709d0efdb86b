package dev.tallystick.broker.model;

import dev.tallystick.core.Json;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * A message from the system to the subscribers of a workflow: how one of its jobs ended.
 *
 * @param id derived from the job, so that announcing it again changes nothing
 */
public record Announcement(UUID id, String mesh, String workflow, Json body) {

    /** The end of a job. */
    public static Announcement ofEnd(UUID job, String mesh, String workflow, Json body) {
        return new Announcement(idOfEnd(job), mesh, workflow, body);
    }

    public static UUID idOfEnd(UUID job) {
        return UUID.nameUUIDFromBytes(("end of " + job).getBytes(StandardCharsets.US_ASCII));
    }
}
