package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.CrashPoints;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a bare repository, as far as they are ours to make or to check. {@code tally/} inside holds what belongs to
 * this machine and is not cloned: locks, private keys, the query index.
 */
final class Repository {

    /** What belongs to this machine and is not cloned. */
    static final String LOCAL = "tally";

    private static final String HEAD = "ref: " + Ref.MAIN + "\n";

    /** gc is ours to start; native git is told to force what it writes and to keep history. */
    private static final String CONFIG = """
        [core]
        \trepositoryformatversion = 0
        \tfilemode = true
        \tbare = true
        \tlogAllRefUpdates = false
        \tfsync = committed,reference
        \tfsyncMethod = fsync
        [gc]
        \tauto = 0
        [receive]
        \tdenyNonFastForwards = true
        \tdenyDeletes = true
        \tfsckObjects = true
        [gpg]
        \tformat = ssh
        """;

    private final Path directory;

    private Repository(Path directory) {
        this.directory = directory;
    }

    /** Makes what is missing of an empty bare repository. Doing it again, or twice at once, does no harm. */
    static Repository init(Path directory) throws IOException {
        createFiles(directory, CONFIG);
        return open(directory);
    }

    /**
     * Makes an empty repository that knows {@code address} under a name. One that an interrupted attempt has left is made
     * ready for this one; any other is left alone, and refused.
     */
    static Repository initCopy(Path directory, String name, String address) throws IOException {
        String quoted = address.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        String wanted = CONFIG + "[remote \"" + name + "\"]\n\turl = \"" + quoted + "\"\n";
        Path config = directory.resolve("config");
        String there = Files.exists(config) ? Files.readString(config, UTF_8) : "";
        if (!there.isEmpty() && !there.equals(wanted)) {
            if (!there.startsWith(CONFIG)
                    || Ref.main(directory, CrashPoints.NONE).read().isPresent()) {
                throw new NotALedgerException(directory + " holds a repository already");
            }
            ForcedFiles.replace(config, wanted.getBytes(UTF_8));
        }
        createFiles(directory, wanted);
        return open(directory);
    }

    private static void createFiles(Path directory, String config) throws IOException {
        for (String name : new String[] {"objects/info", "objects/pack", "refs/heads", "refs/tags", LOCAL}) {
            Files.createDirectories(directory.resolve(name));
        }
        createOnce(directory.resolve("config"), config);
        createOnce(directory.resolve("HEAD"), HEAD);
        for (String name : new String[] {"objects/pack", "objects/info", "objects", "refs/heads", "refs", LOCAL, ""}) {
            ForcedFiles.forceDirectory(directory.resolve(name));
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            ForcedFiles.forceDirectory(parent);
        }
    }

    /** The repository, if it is one that can be trusted to mean what it seems to mean. */
    static Repository open(Path directory) throws IOException {
        if (!Files.isDirectory(directory.resolve("objects/pack")) || !Files.isDirectory(directory.resolve("refs"))) {
            throw new NotALedgerException(directory + " is not a bare Git repository");
        }
        refuseIfPresent(directory.resolve("objects/info/alternates"), "borrows objects from elsewhere (alternates)");
        refuseIfPresent(
                directory.resolve("objects/info/http-alternates"), "borrows objects from elsewhere (alternates)");
        refuseIfPresent(directory.resolve("info/grafts"), "pretends other parents (grafts)");
        refuseIfPresent(directory.resolve("refs/replace"), "shows objects in place of others (replace refs)");
        refuseIfPresent(directory.resolve("shallow"), "lacks history (shallow)");
        refuseIfPresent(directory.resolve("reftable"), "keeps its refs in another format (reftable)");
        String config = Files.readString(directory.resolve("config"), UTF_8).toLowerCase(java.util.Locale.ROOT);
        if (config.contains("objectformat") && config.contains("sha256")) {
            throw new NotALedgerException(directory + " names objects by SHA-256, which this version cannot write");
        }
        Repository repository = new Repository(directory);
        repository.prepareLocal();
        return repository;
    }

    Path directory() {
        return directory;
    }

    Path objects() {
        return directory.resolve("objects");
    }

    /** What belongs to this machine. */
    Path local() {
        return directory.resolve(LOCAL);
    }

    private void prepareLocal() throws IOException {
        if (!Files.isDirectory(local())) {
            Files.createDirectories(local());
            ForcedFiles.forceDirectory(directory);
        }
        Files.createDirectories(directory.resolve("refs/heads"));
    }

    private static void refuseIfPresent(Path file, String why) throws IOException {
        if (Files.exists(file)) {
            throw new NotALedgerException(file.getFileName() + ": this repository " + why);
        }
    }

    /** A file is whole when it gets its name, and the first to name it wins. */
    private static void createOnce(Path file, String content) throws IOException {
        if (Files.exists(file)) {
            return;
        }
        Path temporary = Files.createTempFile(
                file.toAbsolutePath().getParent(), file.getFileName().toString(), ".new");
        try {
            ForcedFiles.fill(temporary, content.getBytes(UTF_8));
            Files.createLink(file, temporary);
        } catch (FileAlreadyExistsException e) {
            return;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
