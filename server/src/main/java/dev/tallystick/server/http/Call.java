package dev.tallystick.server.http;

import dev.tallystick.broker.member.Members;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.api.RecordBinding;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through a route: the caller, the path, the query and the headers.
 *
 * @param caller null on a route for everyone
 * @param door where it was let in
 * @param names the values of the path's names, decoded
 * @param body the raw bytes, for routes that need more than the record
 */
public record Call(
        @Nullable Member caller,
        Door door,
        Map<String, String> names,
        Map<String, String> query,
        @Nullable String idempotencyKey,
        @Nullable String lastEventId,
        @Nullable String traceParent,
        byte[] body) {

    /** Authenticates the caller again, or refuses it. The result is cached for {@link Members#BELIEVED}. */
    @FunctionalInterface
    interface Door {
        @Nullable
        Member admit();
    }

    public Member member() {
        if (caller == null) {
            throw new IllegalStateException("a route for everybody has no member");
        }
        return caller;
    }

    /** For requests that wait: refuses a caller whose token was revoked meanwhile. */
    public void admitAgain() {
        door.admit();
    }

    /** Whether the caller may still do what it was allowed to do when the request arrived. */
    public boolean isStillAdmitted() {
        try {
            return Objects.equals(door.admit(), caller);
        } catch (Problem refused) {
            return false;
        }
    }

    public String name(String name) {
        String value = names.get(name);
        if (value == null) {
            throw new IllegalStateException("the path has no " + name);
        }
        return value;
    }

    /** An id in the path. A malformed id is not found, like an unknown one. */
    public UUID id(String name) {
        return idOf(name(name)).orElseThrow(Call::notFound);
    }

    /** The key under which something is created, from the header; a field of the body may repeat or replace it. */
    public IdempotencyKey key(@Nullable String inBody) {
        requireReadable(idempotencyKey);
        String header = idempotencyKey;
        try {
            if (header == null) {
                return new IdempotencyKey(requirePresent(inBody));
            }
            IdempotencyKey key = IdempotencyKey.ofHeader(header);
            if (inBody != null && !inBody.equals(key.value())) {
                throw new IllegalArgumentException("the header Idempotency-Key and the client_message_id differ");
            }
            return key;
        } catch (IllegalArgumentException e) {
            throw new Problem(ProblemCode.IDEMPOTENCY_KEY_REFUSED, String.valueOf(e.getMessage()));
        }
    }

    private static String requirePresent(@Nullable String key) {
        if (key == null) {
            throw new Problem(
                    ProblemCode.IDEMPOTENCY_KEY_MISSING,
                    "send the header Idempotency-Key: any printable string of 1 to 255 characters,"
                            + " new for every request and the same for its repeats");
        }
        return key;
    }

    private static void requireReadable(@Nullable String header) {
        if (header != null && !IdempotencyKey.fitsHeader(header)) {
            throw new Problem(
                    ProblemCode.MALFORMED_REQUEST,
                    "the header Idempotency-Key has printable characters of ASCII only;"
                            + " a message may have any other key in its client_message_id instead");
        }
    }

    public IdempotencyKey key() {
        return key(null);
    }

    @Nullable
    public String parameter(String name) {
        return query.get(name);
    }

    /** The query parameters {@code prefix.*}, by the rest of the name. */
    public SortedMap<String, String> parameters(String prefix) {
        SortedMap<String, String> found = new TreeMap<>();
        query.forEach((name, value) -> {
            if (name.startsWith(prefix + ".")) {
                found.put(name.substring(prefix.length() + 1), value);
            }
        });
        return found;
    }

    /** A moment in the query, or null. */
    @Nullable
    public Instant time(String name) {
        String text = query.get(name);
        return text == null ? null : RecordBinding.time(text, "/" + name);
    }

    public int number(String name, int otherwise, int least, int most) {
        String text = query.get(name);
        if (text == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below, like a number out of bounds.
        }
        throw new Problem(ProblemCode.MALFORMED_REQUEST, name + " is a number between " + least + " and " + most);
    }

    /** Seconds to wait, at most {@code most}. */
    public Duration wait(String name, Duration most) {
        return Duration.ofSeconds(number(name, 0, 0, (int) most.toSeconds()));
    }

    /** Parses a name from the caller; an invalid name is refused with the reason. */
    public static <T> T understood(Supplier<T> maker) {
        try {
            return maker.get();
        } catch (IllegalArgumentException e) {
            throw new Problem(ProblemCode.MALFORMED_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    /** Does not reveal whether the object does not exist or belongs to another mesh. */
    public static Problem notFound() {
        return new Problem(ProblemCode.NOT_FOUND, "not found, or not visible to you");
    }

    /** The canonical form of an id, and no other: lower case, full length. */
    public static Optional<UUID> idOf(String text) {
        return Ids.parse(text);
    }

    /** Decodes a part of a path or of a query; refuses anything that is not encoded UTF-8, or contains a NUL. */
    static String decode(String encoded) {
        if (encoded.indexOf('%') < 0) {
            return encoded;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        byte[] sent = encoded.getBytes(StandardCharsets.UTF_8);
        try {
            for (int i = 0; i < sent.length; i++) {
                if (sent[i] == '%') {
                    bytes.write(HexFormat.fromHexDigits(encoded, i + 1, i + 3));
                    i += 2;
                } else {
                    bytes.write(sent[i]);
                }
            }
            String decoded = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
            if (decoded.indexOf('\0') < 0) {
                return decoded;
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException | CharacterCodingException e) {
            // Reported below, like an illegal character.
        }
        throw new Problem(ProblemCode.MALFORMED_REQUEST, "the path or the query is not well encoded");
    }
}
