package dev.tallystick.core.api;

import dev.tallystick.core.Json;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** JSON that a server passes on as it was written, such as a workflow's result, and that a client has read. */
public final class RawJson {

    private final String text;
    private final @Nullable Json read;

    private RawJson(String text, @Nullable Json read) {
        this.text = text;
        this.read = read;
    }

    /** Not checked here: the writer made sure that it is JSON. */
    public static RawJson of(String text) {
        return new RawJson(text, null);
    }

    public static RawJson of(byte[] utf8) {
        return of(new String(utf8, StandardCharsets.UTF_8));
    }

    public static RawJson of(Json json) {
        return new RawJson("", json);
    }

    public String text() {
        return read == null ? text : read.canonical();
    }

    public Json json() {
        return read == null ? Json.parse(text) : read;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RawJson raw && raw.text().equals(text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
