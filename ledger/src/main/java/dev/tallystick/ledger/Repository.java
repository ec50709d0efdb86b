package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a bare repository, as far as they are ours to make or to check. {@code tally/} inside holds what belongs to
 * this machine and is not cloned: locks, private keys, the query index.
 */
final class Repository {

    private static final String HEAD = "ref: " + MainRef.NAME + "\n";

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
        for (String name : new String[] {"objects/info", "objects/pack", "refs/heads", "refs/tags", "tally"}) {
            Files.createDirectories(directory.resolve(name));
        }
        createOnce(directory.resolve("config"), CONFIG);
        createOnce(directory.resolve("HEAD"), HEAD);
        for (String name :
                new String[] {"objects/pack", "objects/info", "objects", "refs/heads", "refs", "tally", ""}) {
            ForcedFiles.forceDirectory(directory.resolve(name));
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            ForcedFiles.forceDirectory(parent);
        }
        return open(directory);
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
        return directory.resolve("tally");
    }

    /** The claim on {@code main.lock} is overwritten in place, so its name must be on disk before it is needed. */
    private void prepareLocal() throws IOException {
        Files.createDirectories(local());
        Files.createDirectories(directory.resolve("refs/heads"));
        Path claim = local().resolve("main.claim");
        if (!Files.exists(claim)) {
            createOnce(claim, " ".repeat(63) + "\n");
            ForcedFiles.forceDirectory(local());
            ForcedFiles.forceDirectory(directory);
        }
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
            ForcedFiles.overwrite(temporary, content.getBytes(UTF_8));
            Files.createLink(file, temporary);
        } catch (FileAlreadyExistsException e) {
            return;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
