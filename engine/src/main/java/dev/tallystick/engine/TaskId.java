package dev.tallystick.engine;

import java.util.UUID;

/** Names a task: something that a job asks people. */
public record TaskId(UUID value) {

    public static TaskId parse(String text) {
        return new TaskId(UUID.fromString(text));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
