package dev.tallystick.daemon.local;

import dev.tallystick.core.ProblemCode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests from one connection. HTTP/1.1 with {@code Content-Length} alone: anything that two readers could understand
 * in two ways is refused. For one thread.
 */
final class RequestParser {

    static final int LONGEST_LINE = 8 * 1024;
    static final int MOST_HEADERS = 64;

    private static final int BUFFER = 16 * 1024;
    private static final String MARKS = "!#$%&'*+.^_`|~-";
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,9}");

    private final ReadableByteChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();

    RequestParser(ReadableByteChannel channel) {
        this.channel = channel;
    }

    /** A request up to its body. */
    record Head(String method, String target, Map<String, String> headers, int length) {

        boolean awaitsPermission() {
            return "100-continue".equalsIgnoreCase(headers.get("expect"));
        }

        boolean isLast() {
            return "close".equalsIgnoreCase(headers.get("connection"));
        }
    }

    /** The next request; empty if the caller has closed the connection. */
    Optional<Head> head() throws IOException {
        if (!buffer.hasRemaining() && !fill()) {
            return Optional.empty();
        }
        String[] start = line().split(" ", -1);
        if (start.length != 3 || !isToken(start[0]) || !isTarget(start[1]) || !start[2].startsWith("HTTP/")) {
            throw malformed("the first line is not one of HTTP/1.1");
        }
        if (!start[2].equals("HTTP/1.1")) {
            throw LocalProblem.ending(ProblemCode.HTTP_VERSION_NOT_SUPPORTED, "send HTTP/1.1");
        }
        Map<String, String> headers = headers();
        if (headers.containsKey("transfer-encoding")) {
            throw malformed("send the body with Content-Length, not in chunks");
        }
        return Optional.of(new Head(start[0], start[1], headers, length(headers.get("content-length"))));
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            String name = colon < 0 ? "" : line.substring(0, colon);
            String value = line.substring(colon + 1).strip();
            if (!isToken(name) || !isValue(value)) {
                throw malformed("a header is malformed");
            }
            if (headers.size() == MOST_HEADERS) {
                throw LocalProblem.ending(ProblemCode.HEADERS_TOO_LARGE, "send at most " + MOST_HEADERS + " headers");
            }
            if (headers.put(name.toLowerCase(Locale.ROOT), value) != null) {
                throw malformed("the header " + name + " is there twice");
            }
        }
        return headers;
    }

    private static boolean isToken(String text) {
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            boolean isWord =
                    (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9');
            if (!isWord && MARKS.indexOf(each) < 0) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static boolean isTarget(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) > '~') {
                return false;
            }
        }
        return text.startsWith("/");
    }

    private static boolean isValue(String text) {
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if ((each < ' ' && each != '\t') || each == 0x7f) {
                return false;
            }
        }
        return true;
    }

    private static int length(@Nullable String text) {
        if (text == null) {
            return 0;
        }
        if (!LENGTH.matcher(text).matches()) {
            throw malformed("Content-Length is not a length");
        }
        return Integer.parseInt(text);
    }

    byte[] body(Head head) throws IOException {
        byte[] body = new byte[head.length()];
        int at = 0;
        while (at < body.length) {
            requireMore();
            int part = Math.min(buffer.remaining(), body.length - at);
            buffer.get(body, at, part);
            at += part;
        }
        return body;
    }

    /** Reads a body without keeping it: an answer to a caller that still sends would be lost. */
    void skip(long length) throws IOException {
        for (long left = length; left > 0; ) {
            requireMore();
            int part = (int) Math.min(buffer.remaining(), left);
            buffer.position(buffer.position() + part);
            left -= part;
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            requireMore();
            byte next = buffer.get();
            if (next == '\r') {
                requireMore();
                if (buffer.get() != '\n') {
                    throw malformed("a line ends with CR alone");
                }
                return line.toString();
            }
            if (next == '\n') {
                throw malformed("a line ends with LF alone");
            }
            if (line.length() == LONGEST_LINE) {
                throw LocalProblem.ending(
                        ProblemCode.HEADERS_TOO_LARGE, "a line has at most " + LONGEST_LINE + " characters");
            }
            line.append((char) (next & 0xff));
        }
    }

    private void requireMore() throws IOException {
        if (!buffer.hasRemaining() && !fill()) {
            throw new EOFException("the caller closed the connection within a request");
        }
    }

    private boolean fill() throws IOException {
        buffer.clear();
        int number = channel.read(buffer);
        buffer.flip();
        return number > 0;
    }

    private static LocalProblem malformed(String detail) {
        return LocalProblem.ending(ProblemCode.MALFORMED_REQUEST, detail);
    }
}
