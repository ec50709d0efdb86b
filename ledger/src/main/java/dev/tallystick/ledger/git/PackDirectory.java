package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tallystick.core.file.ForcedFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The directory {@code objects/pack}: its packs, and how a new pack is stored there durably. */
public final class PackDirectory {

    /** A pack of a batch, made under the writer lock. */
    public static final String UNFINISHED_BATCH = "tmp_pack-";

    /** A joined pack, made under the join lock. */
    public static final String UNFINISHED_JOIN = "tmp_join";

    private final Path directory;

    PackDirectory(Path objects) {
        this.directory = objects.resolve("pack");
    }

    /** Names, without suffix, of all packs that have an index. A pack without one is unfinished. */
    List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> indexes = Files.newDirectoryStream(directory, "pack-*.idx")) {
            for (Path index : indexes) {
                String file = index.getFileName().toString();
                names.add(file.substring(0, file.length() - ".idx".length()));
            }
        }
        return names;
    }

    Pack open(String name) throws IOException {
        return new Pack(directory.resolve(name + ".pack"));
    }

    /**
     * Forces pack and index under temporary names, then renames them, index last because it makes the pack visible. The names
     * are on disk only after {@link #force()}. Returns the pack's name: from now on another process may join it with others and
     * remove it.
     */
    String write(byte[] pack, int packLength, byte[] index, Oid checksum) throws IOException {
        Path temporaryPack = directory.resolve(UNFINISHED_BATCH + checksum);
        Files.deleteIfExists(temporaryPack);
        try {
            ForcedFiles.create(temporaryPack, pack, packLength);
            return name(temporaryPack, index, checksum);
        } finally {
            Files.deleteIfExists(temporaryPack);
        }
    }

    /** Adds the index to a forced pack and names both, on disk; returns the name. */
    public String adopt(Path temporaryPack, byte[] index, Oid checksum) throws IOException {
        String name = name(temporaryPack, index, checksum);
        force();
        return name;
    }

    /** After this, the names of packs are durable. */
    public void force() throws IOException {
        ForcedFiles.forceDirectory(directory);
    }

    private String name(Path temporaryPack, byte[] index, Oid checksum) throws IOException {
        String name = "pack-" + checksum;
        Path temporaryIndex = temporaryPack.resolveSibling(temporaryPack.getFileName() + ".idx");
        Files.deleteIfExists(temporaryIndex);
        ForcedFiles.create(temporaryIndex, index);
        Files.move(temporaryPack, directory.resolve(name + ".pack"), StandardCopyOption.ATOMIC_MOVE);
        Files.move(temporaryIndex, directory.resolve(name + ".idx"), StandardCopyOption.ATOMIC_MOVE);
        return name;
    }

    /** Removes a pack whose objects are all in another, forced pack. The index goes first, as in Git. */
    void remove(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name + ".idx"));
        Files.deleteIfExists(directory.resolve(name + ".rev"));
        Files.deleteIfExists(directory.resolve(name + ".pack"));
    }

    /** Removes files that a killed process left unfinished. The caller holds the lock under which such files are made. */
    public void removeUnfinished(String prefix) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, prefix + "*")) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
    }

    /**
     * Removes files older than {@code limit} that native Git left behind when it was killed: unfinished files, packs without an
     * index, and marks by which a fetch or push protects its pack while it runs.
     */
    public void removeAbandoned(Instant limit) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (isAbandoned(file)
                        && Files.getLastModifiedTime(file).toInstant().isBefore(limit)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private static boolean isAbandoned(Path file) throws IOException {
        String name = file.getFileName().toString();
        if (name.endsWith(".keep")) {
            String keeper = Files.readString(file, ISO_8859_1);
            return keeper.startsWith("fetch-pack ") || keeper.startsWith("receive-pack ");
        }
        return name.startsWith("tmp_")
                || (name.endsWith(".pack") && !Files.exists(file.resolveSibling(name.replace(".pack", ".idx"))));
    }

    public boolean isKept(String name) {
        return Files.exists(directory.resolve(name + ".keep"));
    }
}
