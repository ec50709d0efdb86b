package dev.tallystick.server.http;

import dev.tallystick.core.api.RecordBinding;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** A route's answer, unless it refuses. */
public sealed interface Answer {

    String JSON = "application/json";

    /** Identifies every answer as a Tallystick server's, because an empty one has nothing else to show it. */
    String MARK = "Tally-Api";

    String API = "v1";

    /** A record, in JSON, or nothing. */
    record Document(int status, @Nullable Record body, Map<String, String> headers) implements Answer {

        public Document header(String name, String value) {
            SequencedMap<String, String> more = new LinkedHashMap<>(headers);
            more.put(name, value);
            return new Document(status, body, more);
        }
    }

    /** A text that does not come from a record. */
    record Text(String mediaType, String text) implements Answer {}

    /** A stream that is sent while it is produced. Once begun, it can no longer become a problem document. */
    record Stream(String mediaType, Writer writer) implements Answer {}

    /** Writes a stream, and flushes whatever must arrive at once. */
    @FunctionalInterface
    interface Writer {
        void write(OutputStream out) throws IOException, InterruptedException;
    }

    static byte[] json(Record body) {
        return RecordBinding.text(body).getBytes(StandardCharsets.UTF_8);
    }

    static Document of(int status, Record body) {
        return new Document(status, body, Map.of());
    }

    static Document ok(Record body) {
        return of(200, body);
    }

    static Document created(Record body) {
        return of(201, body);
    }

    static Document nothing() {
        return new Document(204, null, Map.of());
    }
}
