package dev.tallystick.cli;

import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Routes JDK logging of libraries to our log. The JDK loads this class as a service. */
public final class JdkLogs extends System.LoggerFinder {

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Passed(LoggerFactory.getLogger(name));
    }

    private record Passed(org.slf4j.Logger to) implements System.Logger {

        @Override
        public String getName() {
            return to.getName();
        }

        @Override
        public boolean isLoggable(Level level) {
            return level != Level.OFF && to.isEnabledForLevel(levelOf(level));
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable thrown) {
            if (isLoggable(level)) {
                to.atLevel(levelOf(level)).setCause(thrown).log(String.valueOf(message));
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... parameters) {
            if (isLoggable(level)) {
                String text = String.valueOf(format);
                to.atLevel(levelOf(level))
                        .log(
                                parameters == null || parameters.length == 0
                                        ? text
                                        : MessageFormat.format(text, parameters));
            }
        }

        private static org.slf4j.event.Level levelOf(Level level) {
            return switch (level) {
                case ERROR -> org.slf4j.event.Level.ERROR;
                case WARNING -> org.slf4j.event.Level.WARN;
                case INFO -> org.slf4j.event.Level.INFO;
                case DEBUG -> org.slf4j.event.Level.DEBUG;
                case ALL, TRACE, OFF -> org.slf4j.event.Level.TRACE;
            };
        }
    }
}
