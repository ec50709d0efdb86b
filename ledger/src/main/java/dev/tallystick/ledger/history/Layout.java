package dev.tallystick.ledger.history;

import dev.tallystick.ledger.tx.StreamId;
import java.util.List;

/** The names in the tree's root. */
public final class Layout {

    public static final String DOCUMENTS = StreamId.DOCUMENTS;
    public static final String KEYS = "keys";
    public static final String SCHEMAS = "schemas";

    /** What only commits with a root may change. The rest of the tree is free for others to use. */
    public static final List<String> GUARDED = List.of(DOCUMENTS, KEYS, SCHEMAS);

    private Layout() {}
}
