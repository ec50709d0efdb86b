package dev.tallystick.server.http;

import java.nio.charset.StandardCharsets;

/** JSON that is passed on as it was written, such as a workflow's result. */
public record RawJson(String text) {

    public static RawJson of(byte[] utf8) {
        return new RawJson(new String(utf8, StandardCharsets.UTF_8));
    }
}
