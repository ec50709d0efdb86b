package dev.tallystick.cli;

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
import java.util.regex.Pattern;

/**
 * One line for each thing that is logged, for people or, as JSON, for programs. Whatever looks like the secret of a token, or like a
 * password in a URL, is left out.
 */
final class LogLine extends EncoderBase<ILoggingEvent> {

    private static final byte[] NOTHING = {};
    private static final Pattern TOKEN = Pattern.compile("(tally_[0-9a-f]{16}_)[A-Za-z0-9_-]{43}");
    private static final Pattern PASSWORD = Pattern.compile("(password=)[^&\\s\"]+", Pattern.CASE_INSENSITIVE);

    private final boolean isJson;

    LogLine(boolean isJson) {
        this.isJson = isJson;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        String line = isJson ? TallyCommand.object(fields(event)) : text(event);
        return (withoutSecrets(line) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }

    static String withoutSecrets(String line) {
        return PASSWORD.matcher(TOKEN.matcher(line).replaceAll("$1…")).replaceAll("$1…");
    }

    private static SequencedMap<String, Json> fields(ILoggingEvent event) {
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("time", Json.of(time(event)));
        fields.put("level", Json.of(level(event)));
        fields.put("logger", Json.of(event.getLoggerName()));
        fields.put("thread", Json.of(event.getThreadName()));
        fields.put("message", Json.of(event.getFormattedMessage()));
        if (event.getThrowableProxy() != null) {
            fields.put("error", Json.of(ThrowableProxyUtil.asString(event.getThrowableProxy())));
        }
        SpanContext span = Span.current().getSpanContext();
        if (span.isValid()) {
            fields.put("trace_id", Json.of(span.getTraceId()));
            fields.put("span_id", Json.of(span.getSpanId()));
        }
        return fields;
    }

    private static String text(ILoggingEvent event) {
        String line =
                time(event) + " " + level(event) + " " + event.getLoggerName() + ": " + event.getFormattedMessage();
        return event.getThrowableProxy() == null
                ? line
                : line + "\n"
                        + ThrowableProxyUtil.asString(event.getThrowableProxy()).stripTrailing();
    }

    private static String time(ILoggingEvent event) {
        return event.getInstant().truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private static String level(ILoggingEvent event) {
        return event.getLevel().toString().toLowerCase(Locale.ROOT);
    }
}
