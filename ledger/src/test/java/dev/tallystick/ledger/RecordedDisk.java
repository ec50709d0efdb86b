package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The calls by which a process changed a directory, and what may be left of them after a power cut. A file's content is durable
 * once the file was forced, a name once its directory was; until then each may or may not be there, independently of the
 * others. What one call wrote is there completely or not at all. A created directory is there.
 */
public final class RecordedDisk {

    private enum Kind {
        CREATE,
        CONTENT,
        FORCE,
        RENAME,
        LINK,
        UNLINK,
        ACKNOWLEDGE
    }

    /**
     * One call. {@code file} identifies the file itself, whatever its names; {@code written} is what was written at
     * {@code position}, one character per byte. A force makes the effects of the first {@code begun} calls durable, and nothing
     * that happened while it ran.
     */
    private record Call(Kind kind, Path path, Path target, int file, long position, String written, int begun) {

        Call(Kind kind, Path path, Path target, int file) {
            this(kind, path, target, file, 0, "", 0);
        }

        @Override
        public String toString() {
            return kind + " " + path + (target.equals(path) ? "" : " as " + target);
        }
    }

    private static final int DIRECTORY = -1;
    private static final int NO_FILE = -2;

    private final List<Call> calls = new ArrayList<>();
    private final Map<Path, Integer> files = new HashMap<>();
    private final Set<Path> gone = new HashSet<>();
    private final Map<Path, Long> positions = new HashMap<>();
    private final Map<Path, Integer> initial = new HashMap<>();
    private final Map<Integer, byte[]> initialContents = new HashMap<>();
    private final Path repository;
    private final Path before;
    private int nextFile;

    public RecordedDisk(Path repository, Path before, List<Strace.Call> trace) throws IOException {
        this.repository = repository;
        this.before = before;
        List<Integer> sizes = new ArrayList<>();
        for (Strace.Call call : trace) {
            sizes.add(calls.size());
            parse(call.line(), sizes.get(call.begun()));
        }
    }

    public int size() {
        return calls.size();
    }

    public int acknowledged(int upTo) {
        return (int) calls.subList(0, upTo).stream()
                .filter(call -> call.kind == Kind.ACKNOWLEDGE)
                .count();
    }

    public int removals() {
        return (int) calls.stream()
                .filter(call -> call.kind == Kind.UNLINK && call.path.toString().endsWith(".pack"))
                .count();
    }

    /** Every way in which unforced calls may be lost: true for each lost call. */
    public List<List<Boolean>> choices(int upTo) {
        int open = unforced(upTo).size();
        List<List<Boolean>> choices = new ArrayList<>();
        for (int mask = 0; mask < 1 << open; mask++) {
            List<Boolean> choice = new ArrayList<>();
            for (int i = 0; i < open; i++) {
                choice.add((mask >>> i & 1) == 1);
            }
            choices.add(choice);
        }
        return choices;
    }

    /** One of these ways, if there are too many to try them all. */
    public List<Boolean> anyChoice(int upTo, Random random) {
        return unforced(upTo).stream().map(call -> random.nextBoolean()).toList();
    }

    /** The way in which nothing is lost. */
    public List<Boolean> nothingLost(int upTo) {
        return unforced(upTo).stream().map(call -> false).toList();
    }

    public String describe(int upTo, List<Boolean> lost) {
        List<Integer> open = unforced(upTo);
        StringBuilder text = new StringBuilder("after " + upTo + " calls, lost:");
        for (int i = 0; i < open.size(); i++) {
            text.append(lost.get(i) ? "\n  " + calls.get(open.get(i)) : "");
        }
        return text.toString();
    }

    public void rebuild(Path state, int upTo, List<Boolean> lost) throws IOException {
        List<Integer> open = unforced(upTo);
        Map<Integer, byte[]> now = new HashMap<>(initialContents);
        Map<Path, Integer> names = new HashMap<>(initial);
        for (int i = 0; i < upTo; i++) {
            int choice = open.indexOf(i);
            if (choice < 0 || !lost.get(choice)) {
                apply(calls.get(i), now, names, state);
            }
        }
        Map<Integer, Path> written = new HashMap<>();
        for (Map.Entry<Path, Integer> name : names.entrySet()) {
            Path target = state.resolve(name.getKey().toString());
            Files.createDirectories(target.getParent());
            Files.deleteIfExists(target);
            Path same = written.putIfAbsent(name.getValue(), target);
            if (same == null) {
                Files.write(target, now.getOrDefault(name.getValue(), new byte[0]));
            } else {
                Files.createLink(target, same);
            }
        }
        rewriteClaim(state.resolve("tally/main.claim"), state.resolve("refs/heads/main.lock"));
        rewriteClaim(state.resolve("tally/remote-origin.claim"), state.resolve("refs/remotes/origin/main.lock"));
    }

    /** Copies have new inodes, and the claim names one: it must name the copy of the claimed file. */
    private static void rewriteClaim(Path claim, Path lock) throws IOException {
        String[] parts =
                (Files.exists(claim) ? Files.readString(claim) : "").strip().split(" ", 2);
        if (Files.exists(lock)
                && parts.length == 2
                && Files.readString(lock).strip().equals(parts[1])) {
            String inode = Files.getAttribute(lock, "unix:ino").toString();
            Files.writeString(claim, "%-63s\n".formatted(inode + " " + parts[1]));
        }
    }

    private void apply(Call call, Map<Integer, byte[]> now, Map<Path, Integer> names, Path state) throws IOException {
        switch (call.kind) {
            case CREATE -> names.put(call.path, call.file);
            case CONTENT -> now.merge(call.file, written(call, new byte[0]), (old, alone) -> written(call, old));
            // The old name may be lost; the file has its new name anyway.
            case RENAME -> {
                names.remove(call.path);
                Files.deleteIfExists(state.resolve(call.path.toString()));
                names.put(call.target, call.file);
            }
            case LINK -> names.put(call.target, call.file);
            case UNLINK -> {
                names.remove(call.path);
                Files.deleteIfExists(state.resolve(call.path.toString()));
            }
            case FORCE, ACKNOWLEDGE -> {}
        }
    }

    /** The content after this write. A gap left by a lost earlier write is filled with zeros. */
    private static byte[] written(Call call, byte[] old) {
        byte[] bytes = call.written.getBytes(ISO_8859_1);
        int position = Math.toIntExact(call.position);
        byte[] content = Arrays.copyOf(old, Math.max(old.length, position + bytes.length));
        System.arraycopy(bytes, 0, content, position, bytes.length);
        return content;
    }

    /** The calls before {@code upTo} whose effect no force has made durable. */
    private List<Integer> unforced(int upTo) {
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < upTo; i++) {
            Call call = calls.get(i);
            boolean content = call.kind == Kind.CONTENT;
            boolean name = call.kind == Kind.CREATE
                    || call.kind == Kind.RENAME
                    || call.kind == Kind.LINK
                    || call.kind == Kind.UNLINK;
            Path directory = (call.kind == Kind.RENAME || call.kind == Kind.LINK ? call.target : call.path).getParent();
            int number = i;
            boolean sure = calls.subList(i + 1, upTo).stream()
                    .filter(later -> later.kind == Kind.FORCE && later.begun > number)
                    .anyMatch(force -> content
                            ? force.file == call.file
                            : force.file == DIRECTORY && force.path.equals(directory));
            if ((content || name) && !sure) {
                open.add(i);
            }
        }
        return open;
    }

    private void parse(String line, int begun) throws IOException {
        Matcher call = Pattern.compile("\\d+ +(\\w+)\\((.*)\\) += (\\d+).*").matcher(line);
        if (!call.matches()) {
            return;
        }
        String name = call.group(1);
        String arguments = call.group(2);
        if (name.equals("write") && arguments.contains("\"appended ")) {
            calls.add(new Call(Kind.ACKNOWLEDGE, Path.of(""), Path.of(""), NO_FILE));
            return;
        }
        List<Path> paths = paths(arguments);
        if (paths.isEmpty()) {
            return;
        }
        Path path = paths.getFirst();
        switch (name) {
            case "openat" -> opened(path, arguments);
            case "lseek" -> positions.put(path, Long.parseLong(call.group(3)));
            case "read" -> positions.computeIfPresent(path, (file, at) -> at + Long.parseLong(call.group(3)));
            case "mkdir" -> {}
            case "write" -> {
                long length = Long.parseLong(call.group(3));
                long end = positions.merge(path, length, Long::sum);
                written(path, end - length, Strace.written(arguments, length));
            }
            case "pwrite64" -> {
                long position = Long.parseLong(arguments.substring(arguments.lastIndexOf(' ') + 1));
                written(path, position, Strace.written(arguments, Long.parseLong(call.group(3))));
            }
            case "fsync", "fdatasync" -> {
                boolean directory = Files.isDirectory(repository.resolve(path.toString()));
                int file = directory ? DIRECTORY : file(path).orElse(NO_FILE);
                calls.add(new Call(Kind.FORCE, path, path, file, 0, "", begun));
            }
            case "rename" -> {
                named(Kind.RENAME, path, paths.get(1));
                removed(path);
            }
            case "link" -> named(Kind.LINK, path, paths.get(1));
            case "unlink" -> {
                removed(path);
                calls.add(new Call(Kind.UNLINK, path, path, NO_FILE));
            }
            default -> throw new IllegalStateException("cannot rebuild what this did: " + line);
        }
    }

    private void opened(Path path, String arguments) throws IOException {
        if (arguments.contains("O_RDONLY")) {
            return;
        }
        positions.put(path, 0L);
        if (arguments.contains("O_TRUNC") || arguments.contains("O_APPEND")) {
            throw new IllegalStateException("cannot rebuild what this did: " + arguments);
        }
        if (arguments.contains("O_CREAT") && file(path).isEmpty()) {
            files.put(path, nextFile++);
            calls.add(new Call(Kind.CREATE, path, path, files.get(path)));
        }
    }

    private void written(Path path, long position, String text) throws IOException {
        calls.add(new Call(Kind.CONTENT, path, path, file(path).orElseThrow(), position, text, 0));
    }

    private void named(Kind kind, Path path, Path target) throws IOException {
        int file = file(path).orElseThrow();
        files.put(target, file);
        calls.add(new Call(kind, path, target, file));
    }

    private void removed(Path path) {
        files.remove(path);
        gone.add(path);
    }

    /** The file that has this name now; a file that was there from the start is recorded at its first lookup. */
    private Optional<Integer> file(Path path) throws IOException {
        Path original = before.resolve(path.toString());
        if (!files.containsKey(path) && !gone.contains(path) && Files.isRegularFile(original)) {
            files.put(path, nextFile);
            initial.put(path, nextFile);
            initialContents.put(nextFile++, Files.readAllBytes(original));
        }
        return Optional.ofNullable(files.get(path));
    }

    /** The paths of a call in the repository, relative to it, from file descriptors and names. */
    private List<Path> paths(String arguments) {
        List<Path> paths = new ArrayList<>();
        Matcher matcher = Pattern.compile("[\"<](" + Pattern.quote(repository.toString()) + "/[^\">]*)[\">]")
                .matcher(arguments);
        while (matcher.find()) {
            paths.add(repository.relativize(Path.of(matcher.group(1))));
        }
        return paths;
    }
}
