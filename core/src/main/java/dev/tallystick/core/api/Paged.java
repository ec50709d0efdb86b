package dev.tallystick.core.api;

import org.jspecify.annotations.Nullable;

/** A page of a list. */
public interface Paged {

    /** Where the next page begins; null on the last one. */
    @Nullable
    Object next();

    /** The query parameter that asks for it. */
    default String parameter() {
        return "after";
    }
}
