package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs a main class of ours in a JVM under {@code strace}, which records its system calls and may kill it in one of them. */
final class Strace {

    /** What came of it: the lines it printed, and the calls it made. */
    record Run(int status, List<String> lines, List<String> calls) {

        long acknowledged() {
            return lines.stream().filter(line -> line.startsWith("appended ")).count();
        }
    }

    private Strace() {}

    static Run record(Path scratch, Class<?> main, String... arguments) throws IOException, InterruptedException {
        return run(scratch, List.of(), main, arguments);
    }

    /** The n-th call of this name by any one thread does not happen; the process is killed instead. */
    static Run killAt(Path scratch, String call, int n, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        return run(scratch, List.of("-e", "inject=" + call + ":signal=KILL:when=" + n), main, arguments);
    }

    private static Run run(Path scratch, List<String> injection, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        Path trace = Files.createTempFile(scratch, "strace", ".txt");
        Path output = Files.createTempFile(scratch, "output", ".txt");
        List<String> command = new ArrayList<>(List.of("strace", "-f", "-y", "-s", "256", "-o", trace.toString()));
        command.addAll(List.of("-e", "trace=openat,write,pwrite64,fsync,fdatasync,rename,link,unlink"));
        command.addAll(injection);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx256m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            process.getOutputStream().close();
            int status = process.waitFor();
            return new Run(
                    status,
                    Files.readAllLines(output, UTF_8),
                    whole(Files.readAllLines(trace, java.nio.charset.StandardCharsets.ISO_8859_1)));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** A call during which another thread made one stands on two lines; it has happened when the second was written. */
    private static List<String> whole(List<String> lines) {
        Map<String, String> unfinished = new HashMap<>();
        List<String> whole = new ArrayList<>();
        for (String line : lines) {
            String thread = line.substring(0, line.indexOf(' '));
            int resumed = line.indexOf(" resumed>");
            if (line.endsWith(" <unfinished ...>")) {
                unfinished.put(thread, line.substring(0, line.length() - " <unfinished ...>".length()));
            } else if (resumed > 0 && unfinished.containsKey(thread)) {
                whole.add(unfinished.remove(thread) + line.substring(resumed + " resumed>".length()));
            } else {
                whole.add(line);
            }
        }
        return whole;
    }
}
