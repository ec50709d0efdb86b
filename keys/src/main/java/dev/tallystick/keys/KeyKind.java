package dev.tallystick.keys;

import java.util.Locale;

/** The two kinds of keys. The same key at two doors is two keys. */
public enum KeyKind {
    /** Messages and jobs: the accepting transaction binds the key. */
    ACCEPT,
    /** User handlers: the key is bound before the handler runs, and settled afterwards. */
    RESERVE;

    String column() {
        return name().toLowerCase(Locale.ROOT);
    }

    static KeyKind ofColumn(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
