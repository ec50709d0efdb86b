package dev.tallystick.keys;

import dev.tallystick.core.IdempotencyKey;

/** A key together with the scope in which it is known; with a {@link Door}, the name of one row. */
public record ScopedKey(Scope scope, IdempotencyKey key) {

    /** A key in the scope of whoever uses the library without saying otherwise. */
    public static ScopedKey of(String key) {
        return new ScopedKey(Scope.DEFAULT, new IdempotencyKey(key));
    }

    @Override
    public String toString() {
        return scope.mesh() + "/" + scope.member() + "/" + key.value();
    }
}
