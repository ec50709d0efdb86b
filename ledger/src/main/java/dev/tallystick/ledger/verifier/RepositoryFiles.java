package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The files around the objects: nothing there may make Git show something else than what was written. */
final class RepositoryFiles {

    private static final String MAIN = "refs/heads/main";

    private RepositoryFiles() {}

    /** Returns the commit that {@code main} names. */
    static Optional<String> check(Path repository, Findings findings) throws IOException {
        checkShape(repository, findings);
        return main(repository, findings);
    }

    /** Everything but {@code main}. */
    static void checkShape(Path repository, Findings findings) throws IOException {
        for (String file : List.of(
                "objects/info/alternates", "objects/info/http-alternates", "info/grafts", "shallow", "reftable")) {
            if (Files.exists(repository.resolve(file))) {
                findings.add(Finding.Kind.REPOSITORY, file, "a ledger has no such file");
            }
        }
        Path replace = repository.resolve("refs/replace");
        if (Files.isDirectory(replace)) {
            try (var refs = Files.list(replace)) {
                refs.forEach(ref -> findings.add(
                        Finding.Kind.REPOSITORY, "refs/replace/" + ref.getFileName(), "shows one object for another"));
            }
        }
        String config = Files.exists(repository.resolve("config"))
                ? Files.readString(repository.resolve("config"), ISO_8859_1).toLowerCase(Locale.ROOT)
                : "";
        if (config.contains("objectformat")) {
            findings.add(Finding.Kind.REPOSITORY, "config", "the objects are named by another hash");
        }
        if (!text(repository.resolve("HEAD")).equals(Optional.of("ref: " + MAIN + "\n"))) {
            findings.add(Finding.Kind.REF, "HEAD", "does not say 'ref: " + MAIN + "'");
        }
    }

    private static Optional<String> main(Path repository, Findings findings) throws IOException {
        Optional<String> packed = packed(repository, findings);
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

    private static Optional<String> packed(Path repository, Findings findings) throws IOException {
        Optional<String> found = Optional.empty();
        for (String line :
                text(repository.resolve("packed-refs")).orElse("").lines().toList()) {
            if (line.startsWith("#") || line.startsWith("^")) {
                continue;
            }
            boolean shaped = line.length() > 41 && line.charAt(40) == ' ' && Hashes.isHex(line.substring(0, 40), 40);
            String name = shaped ? line.substring(41) : "";
            if (!shaped || !name.startsWith("refs/")) {
                findings.add(Finding.Kind.REF, "packed-refs", "holds a line that is no ref");
            } else if (name.startsWith("refs/replace/")) {
                findings.add(Finding.Kind.REPOSITORY, name, "shows one object for another");
            } else if (name.equals(MAIN)) {
                found = Optional.of(line.substring(0, 40));
            }
        }
        return found;
    }

    private static Optional<String> text(Path file) throws IOException {
        return Files.isRegularFile(file) ? Optional.of(Files.readString(file, ISO_8859_1)) : Optional.empty();
    }
}
