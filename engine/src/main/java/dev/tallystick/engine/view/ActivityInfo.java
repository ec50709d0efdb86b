package dev.tallystick.engine.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of one activity of a job.
 *
 * @param path its position in the program or in the cycles of a graph
 * @param kind its kind: a step, a sleep, a wait, the body itself
 * @param ledger its 15 digits
 * @param attempts how many times its work was started
 * @param returnedAt when its first result arrived; null while it waits
 */
public record ActivityInfo(
        String path,
        String name,
        String kind,
        String ledger,
        int attempts,
        @Nullable String error,
        Instant enteredAt,
        @Nullable Instant returnedAt) {

    /** The most activities that one read returns. */
    public static final int LARGEST_PAGE = 1_000;

    /** The position of an activity: {@code 3@charge} for the third call of a body, {@code poll:1@track} in a graph. */
    public record Place(String path, String name) {

        public static Place parse(String text) {
            int at = text.indexOf('@');
            if (at < 0) {
                throw new IllegalArgumentException("the place of an activity is PATH@NAME, got '" + text + "'");
            }
            return new Place(text.substring(0, at), text.substring(at + 1));
        }

        @Override
        public String toString() {
            return path + "@" + name;
        }
    }

    public Place place() {
        return new Place(path, name);
    }
}
