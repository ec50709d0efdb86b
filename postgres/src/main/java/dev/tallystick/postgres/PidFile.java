package dev.tallystick.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;

/** The contents of the server's {@code postmaster.pid}. After a crash it may describe a process that is long gone. */
record PidFile(long pid, int port, String status) {

    private static final int PID_LINE = 0;
    private static final int PORT_LINE = 3;
    private static final int STATUS_LINE = 7;

    /** Empty if the file is missing or cannot be parsed. */
    static Optional<PidFile> read(Layout layout) {
        List<String> lines;
        try {
            lines = Files.readAllLines(layout.pidFile(), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        if (!line(lines, PID_LINE).matches("\\d{1,9}")) {
            return Optional.empty();
        }
        String port = line(lines, PORT_LINE);
        return Optional.of(new PidFile(
                Long.parseLong(line(lines, PID_LINE)),
                port.matches("\\d{1,5}") ? Integer.parseInt(port) : 0,
                line(lines, STATUS_LINE)));
    }

    boolean isReady() {
        return status.equals("ready");
    }

    boolean isStarting() {
        return status.isEmpty() || status.equals("starting");
    }

    private static String line(List<String> lines, int index) {
        return index < lines.size() ? lines.get(index).strip() : "";
    }
}
