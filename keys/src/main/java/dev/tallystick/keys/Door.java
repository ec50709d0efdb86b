package dev.tallystick.keys;

import java.util.Locale;

/** How a request comes in. The same key at two doors is two keys. */
public enum Door {
    /** Messages and jobs: the key is bound by the transaction that accepts them. */
    ACCEPT,
    /** Users' own handlers: the key is bound before the handler runs, and settled after it. */
    RESERVE;

    String column() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Door ofColumn(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
