package dev.tallystick.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An auditor with a Python program that has none of our code in it: {@code docs/audit/verify.py}. */
public final class Auditor {

    private static final String PYTHON = "/usr/bin/python3";
    private static final Path PROGRAM = Path.of("..", "docs", "audit", "verify.py");

    private final String rootKey;

    private Auditor(String rootKey) {
        this.rootKey = rootKey;
    }

    /**
     * An auditor who was given the root key of a log; skips the test if this machine has no Python for the program.
     *
     * @param rootKey the file with the key
     */
    public static Auditor with(Path rootKey) {
        assumeTrue(Files.isExecutable(Path.of(PYTHON)), "skipped: there is no " + PYTHON);
        String probe = output(List.of(PYTHON, "-c", "import cryptography"));
        assumeTrue(probe.startsWith("0 "), "skipped: install Debian's python3-cryptography");
        return new Auditor(rootKey.toString());
    }

    /**
     * Checks files of one kind.
     *
     * @return the exit code, a space, and what the program prints: one line for each file, or the reason of a refusal
     */
    public String check(String kind, List<Path> files, String... options) {
        List<String> command = new ArrayList<>(List.of(PYTHON, PROGRAM.toString(), kind));
        files.forEach(file -> command.add(file.toString()));
        command.addAll(List.of("--root-key", rootKey));
        command.addAll(List.of(options));
        return output(command);
    }

    private static String output(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String printed = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
            return process.waitFor() + " " + printed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
