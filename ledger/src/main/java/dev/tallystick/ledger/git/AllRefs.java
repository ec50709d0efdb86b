package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The targets of all refs of a repository, not only ours: housekeeping must keep other people's branches and tags. */
public final class AllRefs {

    private AllRefs() {}

    public static List<Oid> read(Path repository) throws IOException {
        Set<Oid> tips = new LinkedHashSet<>();
        List<Path> files;
        try (Stream<Path> refs = Files.walk(repository.resolve("refs"))) {
            files = refs.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            boolean lock = file.getFileName().toString().endsWith(".lock");
            Optional<String> text = lock ? Optional.empty() : text(file);
            if (text.isPresent() && !text.get().startsWith("ref: ")) {
                tips.add(parse(file.toString(), text.get()));
            }
        }
        Path packed = repository.resolve("packed-refs");
        List<String> lines = Files.exists(packed) ? Files.readAllLines(packed, ISO_8859_1) : List.of();
        for (String line : lines) {
            if (!line.startsWith("#") && !line.startsWith("^") && !line.isEmpty()) {
                tips.add(parse("packed-refs", line.substring(0, Math.max(0, line.indexOf(' ')))));
            }
        }
        return new ArrayList<>(tips);
    }

    /** Empty if the ref is gone: deleted, or moved to {@code packed-refs}, which is read later. */
    private static Optional<String> text(Path file) throws IOException {
        try {
            return Optional.of(Files.readString(file, ISO_8859_1).strip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static Oid parse(String where, String hex) throws DamagedRefException {
        if (!Oid.isHex(hex)) {
            throw new DamagedRefException(where + " holds a ref without a target");
        }
        return Oid.parse(hex);
    }
}
