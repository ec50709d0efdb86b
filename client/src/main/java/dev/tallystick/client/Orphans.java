package dev.tallystick.client;

import java.util.List;

/**
 * Orphaned rows of the database.
 *
 * @param total 0 unless something is very wrong
 */
public record Orphans(long total, List<Kind> kinds) {

    /**
     * Orphaned rows of one kind.
     *
     * @param examples the first of them
     */
    public record Kind(String kind, long count, List<String> examples) {

        static Kind of(Fields fields) {
            return new Kind(fields.text("kind"), fields.number("count"), fields.texts("examples"));
        }
    }

    static Orphans of(Fields fields) {
        return new Orphans(fields.number("total"), fields.list("kinds", Kind::of));
    }
}
