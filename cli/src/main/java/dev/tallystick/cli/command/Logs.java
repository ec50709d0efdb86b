package dev.tallystick.cli.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Configures logging to standard error from the environment. Logback loads this class as a service. */
public final class Logs extends ContextAwareBase implements Configurator {

    static final String FORM = "TALLY_LOG";
    static final String LEVEL = "TALLY_LOG_LEVEL";

    /** Logs the commands' own progress when all output is for programs. */
    static final String OF_COMMANDS = "tally";

    private static final String JSON = "json";
    private static final List<String> FORMS = List.of("text", JSON);
    private static final List<String> LEVELS = List.of("error", "warn", "info", "debug");
    private static final String DEFAULT_LEVEL = "warn";

    /**
     * The web server logs each unreadable request with a stack trace: a client that sends garbage could fill the disk.
     */
    private static final String REQUESTS = "io.helidon.webserver.http1.Http1Connection";

    /** The web server logs with a stack trace why it cannot listen; the command reports that itself. */
    private static final String LISTENING = "io.helidon.webserver.LoomServer";

    /**
     * Checks what the environment says about logs.
     *
     * @throws IllegalArgumentException if the environment asks for an unknown value
     */
    public static void require(Map<String, String> environment) {
        require(FORM, environment.getOrDefault(FORM, "text"), FORMS);
        require(LEVEL, environment.getOrDefault(LEVEL, DEFAULT_LEVEL), LEVELS);
    }

    private static void require(String name, String value, List<String> allowed) {
        if (!allowed.contains(value)) {
            throw new IllegalArgumentException(
                    name + " must be one of " + String.join(", ", allowed) + ", not '" + value + "'");
        }
    }

    static boolean areForPrograms(Map<String, String> environment) {
        return JSON.equals(environment.get(FORM));
    }

    @Override
    public ExecutionStatus configure(LoggerContext logs) {
        Map<String, String> environment = System.getenv();
        LogLine line = new LogLine(areForPrograms(environment));
        line.setContext(logs);
        line.start();
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(logs);
        console.setTarget("System.err");
        console.setEncoder(line);
        console.start();
        Logger root = logs.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(
                Level.toLevel(environment.getOrDefault(LEVEL, DEFAULT_LEVEL).toUpperCase(Locale.ROOT), Level.WARN));
        root.addAppender(console);
        logs.getLogger(OF_COMMANDS).setLevel(Level.INFO);
        logs.getLogger(REQUESTS).setLevel(Level.OFF);
        logs.getLogger(LISTENING).setLevel(Level.OFF);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
