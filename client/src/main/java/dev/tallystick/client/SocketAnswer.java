package dev.tallystick.client;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 answer, read strictly: lines end with CR LF, names are tokens, and the body has exactly the length that one
 * {@code Content-Length} announces. Anything else is a {@link ForeignAnswer}. The head and the body have limits.
 *
 * @param body null if it is larger than any answer of ours
 */
record SocketAnswer(int status, HttpHeaders headers, byte @Nullable [] body) {

    private static final int LONGEST_HEAD = 32 * 1024;
    private static final int NO_CONTENT = 204;

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 ([2-5][0-9]{2})(?: [\\x20-\\x7e]*)?");
    private static final Pattern HEADER =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \\t]*([\\x20-\\x7e\\t]*?)[ \\t]*");
    private static final Pattern LENGTH = Pattern.compile("0|[1-9][0-9]{0,17}");

    /** Does not read beyond the body. */
    static SocketAnswer read(InputStream in) throws IOException {
        List<String> head = head(in);
        Matcher status = matched(STATUS, head.getFirst());
        Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line : head.subList(1, head.size())) {
            Matcher header = matched(HEADER, line);
            fields.computeIfAbsent(header.group(1), name -> new ArrayList<>()).add(header.group(2));
        }
        int number = Integer.parseInt(status.group(1));
        return new SocketAnswer(number, HttpHeaders.of(fields, (name, value) -> true), body(in, number, fields));
    }

    private static Matcher matched(Pattern pattern, String line) {
        Matcher matcher = pattern.matcher(line);
        if (!matcher.matches()) {
            throw new ForeignAnswer("it is not HTTP/1.1");
        }
        return matcher;
    }

    private static List<String> head(InputStream in) throws IOException {
        List<String> lines = new ArrayList<>();
        int left = LONGEST_HEAD;
        for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
            lines.add(line);
            left -= line.length() + 2;
        }
        if (lines.isEmpty()) {
            throw new ForeignAnswer("it begins with an empty line");
        }
        return lines;
    }

    private static String line(InputStream in, int most) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\r'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the answer breaks off");
            }
            if (next == '\n' || line.size() >= most) {
                throw new ForeignAnswer(next == '\n' ? "it has a bare line feed" : "its head is too long");
            }
            line.write(next);
        }
        if (in.read() != '\n') {
            throw new ForeignAnswer("it has a bare carriage return");
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    private static byte @Nullable [] body(InputStream in, int status, Map<String, List<String>> fields)
            throws IOException {
        List<String> lengths = fields.getOrDefault("Content-Length", List.of());
        if (fields.containsKey("Transfer-Encoding") || lengths.size() > 1) {
            throw new ForeignAnswer("its length is not one Content-Length");
        }
        if (lengths.isEmpty()) {
            if (status == NO_CONTENT) {
                return new byte[0];
            }
            throw new ForeignAnswer("it has no Content-Length");
        }
        long length = Long.parseLong(matched(LENGTH, lengths.getFirst()).group());
        if (length > Answers.LARGEST.bytes()) {
            return null;
        }
        byte[] body = in.readNBytes((int) length);
        if (body.length < length) {
            throw new EOFException("the answer breaks off");
        }
        return body;
    }
}
