package dev.tallystick.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * One thing that can be measured, called by a number of callers at once.
 *
 * @param name as it is printed, for example {@code floor.c8}
 * @param callers how many call at the same time, each waiting for its answer
 * @param references names of contenders of the same run; the fastest of them is what this one is compared with
 * @param opener prepares a round
 */
record Contender(String name, int callers, List<String> references, Opener opener) {

    Contender(String name, int callers, Opener opener) {
        this(name, callers, List.of(), opener);
    }

    Contender named(String other) {
        return new Contender(other, callers, references, opener);
    }

    Contender against(String... others) {
        return new Contender(name, callers, List.of(others), opener);
    }

    @FunctionalInterface
    interface Opener {
        Round open(int callers) throws Exception;
    }

    /** A round under way. Closing it checks what it left behind and returns its connections. */
    interface Round extends AutoCloseable {

        /** Does the thing once and returns how many items that were. */
        int call(int caller) throws Exception;

        /** What else is worth printing, per item unless the name says otherwise; asked for after {@link #close()}. */
        default Map<String, Double> extras(long items) throws Exception {
            return Map.of();
        }

        @Override
        void close() throws SQLException;
    }
}
