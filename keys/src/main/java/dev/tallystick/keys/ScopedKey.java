package dev.tallystick.keys;

import dev.tallystick.core.IdempotencyKey;

/** A key with its scope; together with a {@link KeyKind}, it identifies one row. */
public record ScopedKey(Scope scope, IdempotencyKey key) {

    /** A key in the default scope of the library. */
    public static ScopedKey of(String key) {
        return new ScopedKey(Scope.DEFAULT, new IdempotencyKey(key));
    }

    @Override
    public String toString() {
        return scope.mesh() + "/" + scope.member() + "/" + key.value();
    }
}
