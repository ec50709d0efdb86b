package dev.tallystick.ledger;

import java.util.List;

/** The names in the tree's root. */
final class Layout {

    static final String DOCUMENTS = StreamId.DOCUMENTS;
    static final String KEYS = "keys";
    static final String SCHEMAS = "schemas";

    /** What only commits with a root may change. The rest of the tree is free for others to use. */
    static final List<String> GUARDED = List.of(DOCUMENTS, KEYS, SCHEMAS);

    private Layout() {}
}
