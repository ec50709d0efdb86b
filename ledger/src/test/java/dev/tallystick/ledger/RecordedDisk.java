package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The calls by which a process changed a directory, and what may be left of them after a power cut. The content of a file
 * is sure once the file was forced, a name once its directory was; until then each may be there or not, independently of
 * the others. Content that was not forced is either whole or nothing.
 */
final class RecordedDisk {

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
     * One call. {@code file} identifies the file itself, whatever its names; {@code text} is what was written if it was a
     * short text. Longer content is taken from the file as it was in the end: packs do not change.
     */
    private record Call(Kind kind, Path path, Path target, int file, String text) {

        Call(Kind kind, Path path, Path target, int file) {
            this(kind, path, target, file, "");
        }
    }

    private final List<Call> calls = new ArrayList<>();
    private final Map<Integer, byte[]> contents = new HashMap<>();
    private final Map<Path, Integer> files = new HashMap<>();
    private final Map<Path, Integer> initial = new HashMap<>();
    private final Path repository;
    private int nextFile;

    RecordedDisk(Path repository, Path before, List<String> trace) throws IOException {
        this.repository = repository;
        for (String line : trace) {
            parse(line, before);
        }
        for (Map.Entry<Path, Integer> file : files.entrySet()) {
            if (Files.isRegularFile(repository.resolve(file.getKey()))) {
                contents.put(file.getValue(), Files.readAllBytes(repository.resolve(file.getKey())));
            }
        }
    }

    int size() {
        return calls.size();
    }

    int acknowledged(int upTo) {
        return (int) calls.subList(0, upTo).stream()
                .filter(call -> call.kind == Kind.ACKNOWLEDGE)
                .count();
    }

    int removals() {
        return (int) calls.stream()
                .filter(call -> call.kind == Kind.UNLINK && call.path.toString().endsWith(".pack"))
                .count();
    }

    /** Every way in which calls that are not forced yet may be lost: true where one is. */
    List<List<Boolean>> choices(int upTo) {
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

    /** One of these ways, where there are too many to try them all. */
    List<Boolean> anyChoice(int upTo, Random random) {
        return unforced(upTo).stream().map(call -> random.nextBoolean()).toList();
    }

    String describe(int upTo, List<Boolean> lost) {
        List<Integer> open = unforced(upTo);
        StringBuilder text = new StringBuilder("after " + upTo + " calls, lost:");
        for (int i = 0; i < open.size(); i++) {
            text.append(lost.get(i) ? " " + calls.get(open.get(i)) : "");
        }
        return text.toString();
    }

    void rebuild(Path state, int upTo, List<Boolean> lost) throws IOException {
        List<Integer> open = unforced(upTo);
        Map<Integer, byte[]> now = new HashMap<>();
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
            if (initial.containsKey(name.getKey()) && !now.containsKey(name.getValue())) {
                continue;
            }
            Files.deleteIfExists(target);
            Path same = written.putIfAbsent(name.getValue(), target);
            if (same == null) {
                Files.write(target, now.getOrDefault(name.getValue(), new byte[0]));
            } else {
                Files.createLink(target, same);
            }
        }
        rewriteClaim(state);
    }

    /** Copies have inodes of their own, and the claim names one: it must name the file that stands for the claimed one. */
    private void rewriteClaim(Path state) throws IOException {
        Path claim = state.resolve("tally/main.claim");
        Path lock = state.resolve("refs/heads/main.lock");
        String[] parts = Files.readString(claim).strip().split(" ", 2);
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
            case CONTENT ->
                now.put(
                        call.file,
                        call.text.isEmpty()
                                ? contents.getOrDefault(call.file, new byte[0])
                                : call.text.getBytes(US_ASCII));
            // The name that was there before may be lost; the file has its new name all the same.
            case RENAME -> {
                names.remove(call.path);
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

    /** The calls before {@code upTo} whose effect no force has made sure. */
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
            boolean sure = calls.subList(i + 1, upTo).stream()
                    .anyMatch(later -> later.kind == Kind.FORCE
                            && (content ? later.file == call.file : later.file < 0 && later.path.equals(directory)));
            if ((content || name) && !sure) {
                open.add(i);
            }
        }
        return open;
    }

    private void parse(String line, Path before) {
        Matcher call = Pattern.compile("\\d+ +(\\w+)\\((.*)\\) += (\\d+).*").matcher(line);
        if (!call.matches()) {
            return;
        }
        if (call.group(1).equals("write") && call.group(2).contains("\"appended ")) {
            calls.add(new Call(Kind.ACKNOWLEDGE, Path.of(""), Path.of(""), -1));
            return;
        }
        List<Path> paths = paths(call.group(2));
        if (paths.isEmpty()) {
            return;
        }
        Path path = paths.getFirst();
        switch (call.group(1)) {
            case "openat" -> {
                if (call.group(2).contains("O_CREAT")
                        && !files.containsKey(path)
                        && !Files.exists(before.resolve(path.toString()))) {
                    files.put(path, nextFile++);
                    calls.add(new Call(Kind.CREATE, path, path, files.get(path)));
                }
            }
            case "write", "pwrite64" -> {
                if (!files.containsKey(path)) {
                    files.put(path, nextFile++);
                    initial.put(path, files.get(path));
                }
                Matcher text = Pattern.compile(".*, \"([ -~]*)\\\\n\", \\d+.*").matcher(call.group(2));
                String written = text.matches() && !text.group(1).contains("\\") ? text.group(1) + "\n" : "";
                Call content = new Call(Kind.CONTENT, path, path, files.get(path), written);
                if (calls.isEmpty() || !calls.getLast().equals(content)) {
                    calls.add(content);
                }
            }
            case "fsync", "fdatasync" -> {
                boolean directory = Files.isDirectory(repository.resolve(path.toString()));
                calls.add(new Call(Kind.FORCE, path, path, directory ? -1 : files.getOrDefault(path, -2)));
            }
            case "rename" -> {
                Integer file = files.remove(path);
                files.put(paths.get(1), file == null ? nextFile++ : file);
                calls.add(new Call(Kind.RENAME, path, paths.get(1), files.get(paths.get(1))));
            }
            case "link" -> {
                int file = files.getOrDefault(path, -1);
                files.put(paths.get(1), file);
                calls.add(new Call(Kind.LINK, path, paths.get(1), file));
            }
            case "unlink" -> {
                files.remove(path);
                calls.add(new Call(Kind.UNLINK, path, path, -1));
            }
            default -> {}
        }
    }

    /** The paths in a call that lie in the repository, relative to it; of a file descriptor as well as of a name. */
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
