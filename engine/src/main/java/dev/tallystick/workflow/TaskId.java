package dev.tallystick.workflow;

import java.util.UUID;

/** Identifies a task: a question from a job to people. */
public record TaskId(UUID value) {

    public static TaskId parse(String text) {
        return new TaskId(UUID.fromString(text));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
