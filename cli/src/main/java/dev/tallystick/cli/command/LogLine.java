package dev.tallystick.cli.command;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.tallystick.core.Json;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.nio.charset.StandardCharsets;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Formats one line per log event, for people or, as JSON, for programs. Leaves out anything that looks like a token's secret or
 * a password in a URL.
 */
public final class LogLine extends EncoderBase<ILoggingEvent> {

    private static final byte[] NOTHING = {};
    private static final Pattern TOKEN = Pattern.compile("(tally_[0-9a-f]{16}_)[A-Za-z0-9_-]{43}");
    private static final Pattern PASSWORD = Pattern.compile("(password=)[^&\\s\"]+", Pattern.CASE_INSENSITIVE);
    private static final Pattern USER = Pattern.compile("(://[^/@:\\s]*:)[^/@\\s]+@");

    private final boolean isJson;

    LogLine(boolean isJson) {
        this.isJson = isJson;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        String line = isJson ? TallyCommand.object(fields(event)) : text(event);
        return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }

    public static String withoutSecrets(String text) {
        String withoutPasswords =
                PASSWORD.matcher(USER.matcher(text).replaceAll("$1…@")).replaceAll("$1…");
        return TOKEN.matcher(withoutPasswords).replaceAll("$1…");
    }

    private static SequencedMap<String, Json> fields(ILoggingEvent event) {
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("time", Json.of(time(event)));
        fields.put("level", Json.of(level(event)));
        fields.put("logger", Json.of(event.getLoggerName()));
        fields.put("thread", Json.of(event.getThreadName()));
        fields.put("message", Json.of(message(event)));
        if (event.getThrowableProxy() != null) {
            fields.put("error", Json.of(error(event)));
        }
        trace().forEach((name, id) -> fields.put(name, Json.of(id)));
        new TreeMap<>(event.getMDCPropertyMap())
                .forEach((name, value) -> fields.put(name, Json.of(withoutSecrets(value))));
        return fields;
    }

    private static String text(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(time(event) + " " + level(event) + " " + event.getLoggerName() + ":");
        trace().forEach((name, id) -> line.append(' ').append(name).append('=').append(id));
        line.append(' ').append(message(event));
        if (event.getThrowableProxy() != null) {
            line.append('\n').append(error(event).stripTrailing());
        }
        return line.toString();
    }

    /** The current span, if any. */
    private static SequencedMap<String, String> trace() {
        SequencedMap<String, String> ids = new LinkedHashMap<>();
        SpanContext span = Span.current().getSpanContext();
        if (span.isValid()) {
            ids.put("trace_id", span.getTraceId());
            ids.put("span_id", span.getSpanId());
        }
        return ids;
    }

    private static String message(ILoggingEvent event) {
        return withoutSecrets(event.getFormattedMessage());
    }

    private static String error(ILoggingEvent event) {
        return withoutSecrets(ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }

    private static String time(ILoggingEvent event) {
        return event.getInstant().truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private static String level(ILoggingEvent event) {
        return event.getLevel().toString().toLowerCase(Locale.ROOT);
    }
}
