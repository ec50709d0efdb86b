package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.tallystick.ledger.verifier.git.Hashes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The files around the objects: nothing there may make Git show something else than what was written. What Git reads and the
 * verifier does not is refused, or must be turned off in the repository's configuration.
 */
public final class RepositoryFiles {

    private static final String MAIN = "refs/heads/main";

    /** Each would hide objects, refs or settings, or show others in their place. */
    private static final List<String> MISLEADING = List.of(
            "commondir",
            "config.worktree",
            "heads",
            "info/attributes",
            "info/grafts",
            "objects/info/alternates",
            "objects/info/http-alternates",
            "reftable",
            "shallow");

    /** Names under which Git looks for {@code main} before {@link #MAIN}. */
    private static final List<String> SHADOWS = List.of("main", "refs/main", "refs/tags/main");

    private static final String REPLACE = "refs/replace/";

    private RepositoryFiles() {}

    /** What keeps this repository from meaning what it seems to mean, {@code main} aside. */
    public static List<Finding> shape(Path repository) throws IOException {
        Findings findings = new Findings();
        checkShape(repository, findings);
        return findings.list();
    }

    /** Returns the commit that {@code main} names. */
    static Optional<String> check(Path repository, Findings findings) throws IOException {
        checkShape(repository, findings);
        return main(repository, findings);
    }

    /** Everything but {@code main}. */
    static void checkShape(Path repository, Findings findings) throws IOException {
        for (String file : MISLEADING) {
            if (Files.exists(repository.resolve(file), NOFOLLOW_LINKS)) {
                findings.add(Finding.Kind.REPOSITORY, file, "a ledger has no such file; remove it");
            }
        }
        for (String ref : SHADOWS) {
            if (!Files.isDirectory(repository.resolve(ref), NOFOLLOW_LINKS)
                    && Files.exists(repository.resolve(ref), NOFOLLOW_LINKS)) {
                findings.add(Finding.Kind.REPOSITORY, ref, "git takes it for main; remove it");
            }
        }
        for (String ref : List.of("HEAD", MAIN, "packed-refs")) {
            if (Files.exists(repository.resolve(ref), NOFOLLOW_LINKS)
                    && !Files.isRegularFile(repository.resolve(ref), NOFOLLOW_LINKS)
                    && !Files.isDirectory(repository.resolve(ref), NOFOLLOW_LINKS)) {
                findings.add(Finding.Kind.REF, ref, "is not a plain file");
            }
        }
        Path replace = repository.resolve(REPLACE);
        if (Files.isDirectory(replace)) {
            try (var refs = Files.walk(replace)) {
                refs.filter(ref -> !Files.isDirectory(ref))
                        .forEach(ref -> findings.add(
                                Finding.Kind.REPOSITORY,
                                repository.relativize(ref).toString(),
                                "shows one object for another"));
            }
        }
        checkDerived(repository, RepositoryConfig.read(repository, findings), findings);
        if (!text(repository.resolve("HEAD")).equals(Optional.of("ref: " + MAIN + "\n"))) {
            findings.add(Finding.Kind.REF, "HEAD", "does not say 'ref: " + MAIN + "'");
        }
        packed(repository, findings);
    }

    /** Files that Git derives from objects and then believes; the verifier judges the objects and demands that Git does too. */
    private static void checkDerived(Path repository, RepositoryConfig config, Findings findings) throws IOException {
        for (String graph : List.of("objects/info/commit-graph", "objects/info/commit-graphs")) {
            demandOff(repository.resolve(graph), graph, "core.commitGraph", config, findings);
        }
        Path packs = repository.resolve("objects/pack");
        if (Files.isDirectory(packs)) {
            try (var files = Files.list(packs)) {
                for (Path file : files.toList()) {
                    String name = "objects/pack/" + file.getFileName();
                    if (name.startsWith("objects/pack/multi-pack-index")) {
                        demandOff(file, name, "core.multiPackIndex", config, findings);
                    } else if (name.endsWith(".bitmap")) {
                        demandOff(file, name, "pack.useBitmaps", config, findings);
                    }
                }
            }
        }
    }

    private static void demandOff(Path file, String name, String key, RepositoryConfig config, Findings findings) {
        if (Files.exists(file, NOFOLLOW_LINKS) && !config.isOff(key.toLowerCase(Locale.ROOT))) {
            findings.add(
                    Finding.Kind.REPOSITORY,
                    name,
                    "git would believe it unchecked; remove it, or run 'git config " + key + " false'");
        }
    }

    private static Optional<String> main(Path repository, Findings findings) throws IOException {
        Optional<String> packed = packed(repository, new Findings());
        Optional<String> loose = text(repository.resolve(MAIN));
        if (loose.isPresent()) {
            String line = loose.get();
            if (line.length() == 41 && line.endsWith("\n") && Hashes.isHex(line.substring(0, 40), 40)) {
                return Optional.of(line.substring(0, 40));
            }
            findings.add(Finding.Kind.REF, MAIN, "names no commit");
            return Optional.empty();
        }
        if (packed.isEmpty()) {
            findings.add(Finding.Kind.REF, MAIN, "is missing");
        }
        return packed;
    }

    /** Git searches a file that says it is sorted by halves, and finds nothing or something else in one that is not. */
    private static Optional<String> packed(Path repository, Findings findings) throws IOException {
        Optional<String> found = Optional.empty();
        String all = text(repository.resolve("packed-refs")).orElse("");
        String before = "";
        for (int begin = 0, end; begin < all.length(); begin = end + 1) {
            end = all.indexOf('\n', begin);
            String line = end < 0 ? "" : all.substring(begin, end);
            end = end < 0 ? all.length() : end;
            boolean header = begin == 0 && line.startsWith("# pack-refs with:");
            boolean peeled = line.startsWith("^") && Hashes.isHex(line.substring(1), 40) && !before.equals(MAIN);
            if (header || peeled) {
                continue;
            }
            boolean shaped = line.length() > 41 && line.charAt(40) == ' ' && Hashes.isHex(line.substring(0, 40), 40);
            String name = shaped ? line.substring(41) : "";
            if (!name.matches("refs/[^\\p{Cntrl} ~^:?*\\[\\\\]+") || name.compareTo(before) <= 0) {
                findings.add(Finding.Kind.REF, "packed-refs", "holds a line that is no ref, or out of order");
            } else if (name.startsWith(REPLACE)) {
                findings.add(Finding.Kind.REPOSITORY, name, "shows one object for another");
            } else if (SHADOWS.contains(name)) {
                findings.add(Finding.Kind.REPOSITORY, name, "git takes it for main; remove it");
            } else if (name.equals(MAIN)) {
                found = Optional.of(line.substring(0, 40));
            }
            before = name;
        }
        return found;
    }

    private static Optional<String> text(Path file) throws IOException {
        return Files.isRegularFile(file) ? Optional.of(Files.readString(file, ISO_8859_1)) : Optional.empty();
    }
}
