package dev.tallystick.ledger.copies;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Ids;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.ledger.git.DamagedRefException;
import dev.tallystick.ledger.git.Digests;
import dev.tallystick.ledger.git.NativeGit;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Ref;
import dev.tallystick.ledger.git.RemoteFailedException;
import dev.tallystick.ledger.history.Ancestry;
import dev.tallystick.ledger.history.Chain;
import dev.tallystick.ledger.tx.CommitId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Another copy of the ledger: a remote that {@code git} knows by name, or any address that it accepts. {@code refs/remotes}
 * keeps its state as of the last fetch, which only moves forward: a copy whose history was rolled back or rewritten is refused.
 *
 * <p>{@code git} itself writes only a ref whose name is used once. If killed, it leaves a lock that cannot be told from a held
 * one; nothing waits for this lock, and the next fetch removes it.
 */
final class Remote {

    static final String ORIGIN = "origin";

    private static final String INCOMING = "refs/tally/incoming";

    private final Path repository;
    private final NativeGit git;
    private final String address;
    private final Ref known;

    private Remote(Path repository, NativeGit git, String address, Ref known) {
        this.repository = repository;
        this.git = git;
        this.address = address;
        this.known = known;
    }

    static Remote of(Path repository, String address) throws IOException {
        if (address.isEmpty() || address.startsWith("-")) {
            throw new IllegalArgumentException("'" + address + "' is not the address of another copy");
        }
        NativeGit git = new NativeGit(repository);
        boolean name = address.matches("[A-Za-z0-9][A-Za-z0-9_-]*")
                && git.run("config", "--get", "remote." + address + ".url").succeeded();
        byte[] digest = Digests.sha256().digest(address.getBytes(UTF_8));
        String place = name ? address : "at-" + HexFormat.of().formatHex(digest, 0, 8);
        return new Remote(repository, git, address, Ref.remote(repository, place));
    }

    /** The address to remember: for a file, its absolute path, as {@code git clone} does. */
    static String lasting(String address) {
        try {
            Path file = Path.of(address);
            return Files.exists(file) ? file.toAbsolutePath().normalize().toString() : address;
        } catch (InvalidPathException e) {
            return address;
        }
    }

    /** The other copy's {@code main} as of the last fetch. */
    Optional<Oid> lastFetched() throws IOException {
        return known.read();
    }

    /**
     * Fetches its objects to disk and returns its {@code main}; empty if its history was rolled back or rewritten. The caller
     * is the only one to fetch into this repository.
     */
    Optional<Oid> fetch(ObjectStore store, Ids ids) throws IOException {
        removeLeftOvers();
        Path incoming = repository.resolve(INCOMING).resolve(ids.nextUlid().toString());
        Set<Path> before = packs();
        NativeGit.Answer answer = git.run(
                "-c",
                "fetch.unpackLimit=1",
                "-c",
                "fetch.fsckObjects=true",
                "fetch",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-auto-maintenance",
                "--refmap=",
                "--",
                address,
                Ref.MAIN + ":" + INCOMING + "/" + incoming.getFileName());
        if (!answer.succeeded()) {
            throw new RemoteFailedException(answer.complaint());
        }
        force(before);
        store.rescan();
        Oid theirs = named(incoming);
        boolean goesOn = remember(new Chain(store), theirs);
        Files.delete(incoming);
        return goesOn ? Optional.of(theirs) : Optional.empty();
    }

    Push push(Oid commit) throws IOException {
        NativeGit.Answer answer = git.run("push", "--porcelain", "--", address, commit + ":" + Ref.MAIN);
        List<String> lines = answer.out()
                .lines()
                .filter(line -> line.contains("\t") && line.contains(":" + Ref.MAIN))
                .toList();
        if (lines.isEmpty()) {
            throw new RemoteFailedException(answer.complaint());
        }
        String line = lines.getFirst();
        return switch (line.charAt(0)) {
            case ' ', '*' -> new Push.Pushed(CommitId.of(commit));
            case '=' -> new Push.UpToDate(CommitId.of(commit));
            default ->
                line.contains("(fetch first)") || line.contains("(non-fast-forward)")
                        ? new Push.FetchFirst()
                        : new Push.Refused(line.substring(line.lastIndexOf('\t') + 1));
        };
    }

    private void removeLeftOvers() throws IOException {
        Path incoming = repository.resolve(INCOMING);
        if (Files.isDirectory(incoming)) {
            try (DirectoryStream<Path> leftOvers = Files.newDirectoryStream(incoming)) {
                for (Path leftOver : leftOvers) {
                    Files.deleteIfExists(leftOver);
                }
            }
        }
    }

    private static Oid named(Path ref) throws IOException {
        String hex = Files.readString(ref, US_ASCII).strip();
        if (!Oid.isHex(hex)) {
            throw new DamagedRefException(ref + " does not name a commit");
        }
        return Oid.parse(hex);
    }

    /** Records the other copy's state; returns false, recording nothing, if it does not include the earlier state. */
    private boolean remember(Chain chain, Oid theirs) throws IOException {
        Optional<Oid> before = known.read();
        if (before.isPresent()
                && !Ancestry.of(chain, before.get(), theirs).oursOnly().isEmpty()) {
            return false;
        }
        if (!before.equals(Optional.of(theirs)) && known.compareAndSet(before.orElse(null), theirs) != Ref.Move.MOVED) {
            throw new RemoteFailedException(
                    "another program holds " + known + ".lock; if no git is running there, remove the stale lock");
        }
        return true;
    }

    /** Git forces its files, as this repository's configuration says, but not the directory. */
    private void force(Set<Path> before) throws IOException {
        for (Path file : packs()) {
            if (!before.contains(file)) {
                ForcedFiles.force(file);
            }
        }
        ForcedFiles.forceDirectory(repository.resolve("objects/pack"));
    }

    private Set<Path> packs() throws IOException {
        try (var files = Files.list(repository.resolve("objects/pack"))) {
            return new HashSet<>(
                    files.filter(file -> file.getFileName().toString().startsWith("pack-"))
                            .toList());
        }
    }
}
