package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs one of our main classes in a JVM under {@code strace}, which records its system calls and may kill it in one of them.
 */
public final class Strace {

    /** A completed call, and how many calls had completed before it began: exactly those precede it. */
    record Call(String line, int begun) {}

    /** The result: the printed lines, and the calls in the order in which they ended. */
    public record Run(int status, List<String> lines, List<Call> calls) {

        public long acknowledged() {
            return lines.stream().filter(line -> line.startsWith("appended ")).count();
        }
    }

    /** All calls that change files; content is recorded whole, because a file may be gone when the process ends. */
    private static final String CALLS = "trace=openat,lseek,write,pwrite64,fsync,fdatasync,rename,link,unlink"
            + ",writev,pwritev,pwritev2,sendfile,copy_file_range,truncate,ftruncate,fallocate"
            + ",renameat,renameat2,linkat,unlinkat,symlink,symlinkat,mkdir,mkdirat,rmdir";

    /** Does not record programs that the process starts. */
    private static final List<String> ALONE = List.of("-b", "execve");

    private static final String UNFINISHED = " <unfinished ...>";
    private static final int LONGEST_WRITE = 4 << 20;

    private Strace() {}

    public static Run record(Path scratch, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        return run(scratch, ALONE, main, arguments);
    }

    /** Also records the programs that the process starts. */
    static Run recordAll(Path scratch, Class<?> main, String... arguments) throws IOException, InterruptedException {
        return run(scratch, List.of("-e", CALLS + ",read"), main, arguments);
    }

    /** Kills the process instead of the n-th call of this name by any one thread. */
    static Run killAt(Path scratch, String call, int n, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        return run(scratch, alone("inject=" + call + ":signal=KILL:when=" + n), main, arguments);
    }

    /** Fails the n-th call of this name by any one thread with a disk error. */
    static Run failAt(Path scratch, String call, int n, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        return run(scratch, alone("inject=" + call + ":error=EIO:when=" + n), main, arguments);
    }

    private static List<String> alone(String injection) {
        List<String> options = new ArrayList<>(ALONE);
        options.addAll(List.of("-e", injection));
        return options;
    }

    /** How often the process made each of these calls in {@code directory}, all on one thread. */
    static Map<String, Integer> callsOfOneThread(Run run, Path directory, List<String> names) {
        Pattern line = Pattern.compile("(\\d+) +(\\w+)\\(.*" + Pattern.quote(directory.toString()) + ".*");
        Map<String, Integer> calls = new LinkedHashMap<>();
        names.forEach(name -> calls.put(name, 0));
        String thread = "";
        for (Call call : run.calls) {
            Matcher matcher = line.matcher(call.line());
            if (matcher.matches() && calls.containsKey(matcher.group(2))) {
                thread = thread.isEmpty() ? matcher.group(1) : thread;
                assertThat(matcher.group(1)).as(call.line()).isEqualTo(thread);
                calls.merge(matcher.group(2), 1, Integer::sum);
            }
        }
        return calls;
    }

    private static Run run(Path scratch, List<String> options, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        Path trace = Files.createTempFile(scratch, "strace", ".txt");
        Path output = Files.createTempFile(scratch, "output", ".txt");
        List<String> command = new ArrayList<>(List.of("strace", "-f", "-y", "-o", trace.toString()));
        command.addAll(List.of("-s", Integer.toString(LONGEST_WRITE), "-e", CALLS));
        command.addAll(options);
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

    /** The bytes that a call wrote, one character each, from its arguments. */
    static String written(String arguments, long length) {
        StringBuilder bytes = new StringBuilder();
        int end = arguments.lastIndexOf("\", ");
        int at = arguments.indexOf(", \"") + 3;
        while (at < end) {
            char next = arguments.charAt(at++);
            if (next != '\\') {
                bytes.append(next);
                continue;
            }
            char escaped = arguments.charAt(at++);
            int special = "tnvfr".indexOf(escaped);
            if (special >= 0) {
                bytes.append("\t\n\u000b\f\r".charAt(special));
            } else if (isOctal(escaped)) {
                int value = escaped - '0';
                for (int digits = 1; digits < 3 && isOctal(arguments.charAt(at)); digits++) {
                    value = value * 8 + arguments.charAt(at++) - '0';
                }
                bytes.append((char) value);
            } else {
                bytes.append(escaped);
            }
        }
        if (bytes.length() < length) {
            throw new IllegalStateException(bytes.length() + " bytes of " + length + " recorded: " + arguments);
        }
        return bytes.substring(0, Math.toIntExact(length));
    }

    private static boolean isOctal(char digit) {
        return digit >= '0' && digit <= '7';
    }

    /** A call interleaved with another thread's takes two lines; it has happened when the second was written. */
    private static List<Call> whole(List<String> lines) {
        Map<String, Call> unfinished = new HashMap<>();
        List<Call> whole = new ArrayList<>();
        for (String line : lines) {
            String thread = line.substring(0, line.indexOf(' '));
            Call begun = unfinished.get(thread);
            int resumed = line.indexOf(" resumed>");
            if (line.endsWith(UNFINISHED)) {
                unfinished.put(thread, new Call(line.substring(0, line.length() - UNFINISHED.length()), whole.size()));
            } else if (resumed > 0 && begun != null) {
                unfinished.remove(thread);
                whole.add(new Call(begun.line + line.substring(resumed + " resumed>".length()), begun.begun));
            } else {
                whole.add(new Call(line, whole.size()));
            }
        }
        return whole;
    }
}
