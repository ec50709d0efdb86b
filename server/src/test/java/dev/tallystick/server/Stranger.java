package dev.tallystick.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The auditor's program, which has none of our code. */
public final class Stranger {

    private static final String PYTHON = "/usr/bin/python3";
    private static final Path PROGRAM = Path.of("../docs/audit/verify.py");

    /** The exit code and what the program prints. */
    public static String verifies(String what, Path file, Path rootKey) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of(PYTHON)), "skipped: there is no " + PYTHON);
        Process process = new ProcessBuilder(
                        PYTHON, PROGRAM.toString(), what, file.toString(), "--root-key", rootKey.toString())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        return process.waitFor() + " " + printed;
    }

    private Stranger() {}
}
