package dev.tallystick.tidy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A {@code console} block of the docs: commands behind {@code $} and beneath each what it prints, on either stream. An
 * ellipsis stands for anything in a line, and on a line of its own for any number of lines. A command must succeed,
 * unless the next one is {@code echo $?}.
 *
 * <p>A block runs in one shell in the root of the project, against the jars of this very build.
 */
record ConsoleBlock(String place, List<Exchange> exchanges) {

    /** A command and the answer that the docs promise. */
    record Exchange(String command, List<String> promised) {

        boolean isKeptBy(List<String> printed) {
            String pattern = promised.stream()
                    .map(line -> line.strip().equals(ELLIPSIS)
                            ? "(?:.*\n)*?"
                            : Pattern.quote(line).replace(ELLIPSIS, "\\E.*\\Q") + "\n")
                    .collect(Collectors.joining());
            String text = printed.stream().map(line -> line + "\n").collect(Collectors.joining());
            return Pattern.matches(pattern, text);
        }
    }

    private static final String PROMPT = "$ ";
    private static final String ELLIPSIS = "…";
    private static final String ASK_STATUS = "echo $?";
    private static final int LIMIT_SECONDS = 60;

    static ConsoleBlock of(Markdown.Block block) {
        List<Exchange> exchanges = new ArrayList<>();
        for (String line : block.lines()) {
            if (line.startsWith(PROMPT)) {
                exchanges.add(new Exchange(line.substring(PROMPT.length()), new ArrayList<>()));
            } else if (exchanges.isEmpty()) {
                throw new IllegalArgumentException("no command before the first answer in " + block);
            } else {
                exchanges.getLast().promised().add(line);
            }
        }
        return new ConsoleBlock(block.path() + ":" + block.line(), exchanges);
    }

    /** Runs the block, and returns what did not come as promised. */
    List<String> brokenPromises(Path root) throws IOException, InterruptedException {
        List<String> broken = new ArrayList<>();
        String mark = "end-" + UUID.randomUUID();
        List<String> printed = new ArrayList<>();
        int done = 0;
        for (String line : run(root, script(mark))) {
            if (!line.startsWith(mark)) {
                printed.add(line);
                continue;
            }
            Exchange exchange = exchanges.get(done++);
            boolean asked =
                    done < exchanges.size() && exchanges.get(done).command().equals(ASK_STATUS);
            String status = line.substring(mark.length()).strip();
            if (!status.equals("0") && !asked) {
                broken.add("$ %s%nends with status %s and prints%n%s"
                        .formatted(exchange.command(), status, String.join("\n", printed)));
            } else if (!exchange.isKeptBy(printed)) {
                broken.add("$ %s%nis promised to print%n%s%nand prints%n%s"
                        .formatted(
                                exchange.command(),
                                String.join("\n", exchange.promised()),
                                String.join("\n", printed)));
            }
            printed.clear();
        }
        if (done < exchanges.size()) {
            broken.add("$ %s%ndoes not come to an end"
                    .formatted(exchanges.get(done).command()));
        }
        return broken;
    }

    private String script(String mark) {
        StringBuilder script = new StringBuilder("status=0\n");
        for (Exchange exchange : exchanges) {
            script.append("(exit $status)\n")
                    .append(exchange.command())
                    .append("\nstatus=$?\nprintf '%s %s\\n' ")
                    .append(mark)
                    .append(" \"$status\"\n");
        }
        return script.toString();
    }

    private static List<String> run(Path root, String script) throws IOException, InterruptedException {
        Path out = Files.createTempFile("console", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder("sh", "-c", script)
                    .directory(root.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            builder.environment().put("LC_ALL", "C.UTF-8");
            builder.environment().put("TALLY_BUILD", "never");
            builder.environment().put("TALLY_JAVA_HOME", System.getProperty("java.home"));
            Process process = builder.start();
            process.getOutputStream().close();
            if (!process.waitFor(LIMIT_SECONDS, SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
            return Files.readString(out, UTF_8).lines().toList();
        } finally {
            Files.deleteIfExists(out);
        }
    }
}
