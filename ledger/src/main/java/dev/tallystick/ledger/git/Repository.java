package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.RepositoryFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The files of a bare repository that we create or check. {@code tally/} inside holds what belongs to this machine and is not
 * cloned: locks, private keys, the query index.
 */
public final class Repository {

    /** What belongs to this machine and is not cloned. */
    static final String LOCAL = "tally";

    private static final String HEAD = "ref: " + Ref.MAIN + "\n";

    /**
     * We run gc ourselves; native Git is configured to force what it writes, to keep history, and to trust objects rather than
     * data derived from them.
     */
    private static final String CONFIG = """
        [core]
        \trepositoryformatversion = 0
        \tfilemode = true
        \tbare = true
        \tlogAllRefUpdates = false
        \tfsync = committed,reference
        \tfsyncMethod = fsync
        \tcommitGraph = false
        \tmultiPackIndex = false
        [gc]
        \tauto = 0
        \twriteCommitGraph = false
        [pack]
        \tuseBitmaps = false
        \treadReverseIndex = false
        [repack]
        \twriteBitmaps = false
        [receive]
        \tdenyNonFastForwards = true
        \tdenyDeletes = true
        \tfsckObjects = true
        [gpg]
        \tformat = ssh
        """;

    private static final String DERIVED_OFF = "\tcommitGraph = false\n\tmultiPackIndex = false\n";

    private final Path directory;

    private Repository(Path directory) {
        this.directory = directory;
    }

    /** Creates the missing parts of an empty bare repository. Safe to repeat and to run concurrently. */
    public static Repository init(Path directory) throws IOException {
        createFiles(directory, CONFIG);
        return open(directory);
    }

    /**
     * Creates an empty repository with {@code address} as a remote. One left by an interrupted attempt is prepared for this
     * attempt; any other is left alone and refused.
     */
    public static Repository initCopy(Path directory, String name, String address) throws IOException {
        String quoted = address.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        String wanted = CONFIG + "[remote \"" + name + "\"]\n\turl = \"" + quoted + "\"\n";
        Path config = directory.resolve("config");
        String there = Files.exists(config) ? Files.readString(config, UTF_8) : "";
        if (!there.isEmpty() && !there.equals(wanted)) {
            if (!there.startsWith(CONFIG)
                    || Ref.main(directory, CrashPoints.NONE).read().isPresent()) {
                throw new NotALedgerException(directory + " already holds a repository");
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
        Path settings = directory.resolve("config");
        createOnce(settings, config);
        String there = Files.readString(settings, UTF_8);
        if (!there.contains(DERIVED_OFF)) {
            // In an existing bare repository; of two values Git takes the last.
            ForcedFiles.replace(settings, (there + "\n" + config).getBytes(UTF_8));
        }
        createOnce(directory.resolve("HEAD"), HEAD);
        for (String name : new String[] {"objects/pack", "objects/info", "objects", "refs/heads", "refs", LOCAL, ""}) {
            ForcedFiles.forceDirectory(directory.resolve(name));
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            ForcedFiles.forceDirectory(parent);
        }
    }

    /** The repository, after checking that nothing in it changes how Git interprets it. */
    public static Repository open(Path directory) throws IOException {
        if (!Files.isDirectory(directory.resolve("objects/pack")) || !Files.isDirectory(directory.resolve("refs"))) {
            throw new NotALedgerException(directory + " is not a bare Git repository");
        }
        refuseIfMisleading(directory);
        Repository repository = new Repository(directory);
        repository.prepareLocal();
        return repository;
    }

    public Path directory() {
        return directory;
    }

    public Path objects() {
        return directory.resolve("objects");
    }

    /** The directory of what belongs to this machine. */
    public Path local() {
        return directory.resolve(LOCAL);
    }

    private void prepareLocal() throws IOException {
        if (!Files.isDirectory(local())) {
            Files.createDirectories(local());
            ForcedFiles.forceDirectory(directory);
        }
        Files.createDirectories(directory.resolve("refs/heads"));
    }

    /** Nothing around the objects may make native Git show other contents than we do, or run anything. */
    static void refuseIfMisleading(Path directory) throws IOException {
        List<Finding> findings = RepositoryFiles.shape(directory);
        if (!findings.isEmpty()) {
            throw new NotALedgerException(directory + ": " + findings.getFirst());
        }
    }

    /** A file is complete when it gets its name, and the first writer of a name wins. */
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
