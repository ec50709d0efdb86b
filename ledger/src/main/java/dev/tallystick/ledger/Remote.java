package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Another copy of the ledger: a remote that {@code git} knows by name, or whatever {@code git} takes in its place. What it
 * had when it was last fetched is kept under {@code refs/remotes}, and only ever moves on: a copy whose history went back or
 * was written anew is refused.
 */
final class Remote {

    static final String ORIGIN = "origin";

    private final Path repository;
    private final NativeGit git;
    private final String address;
    private final String tracking;

    private Remote(Path repository, NativeGit git, String address, String tracking) {
        this.repository = repository;
        this.git = git;
        this.address = address;
        this.tracking = tracking;
    }

    static Remote of(Path repository, String address) throws IOException {
        if (address.isEmpty() || address.startsWith("-")) {
            throw new IllegalArgumentException("'" + address + "' is not another copy's address");
        }
        NativeGit git = new NativeGit(repository);
        boolean name = address.matches("[A-Za-z0-9][A-Za-z0-9_-]*")
                && git.run("config", "--get", "remote." + address + ".url").succeeded();
        byte[] digest = Digests.sha256().digest(address.getBytes(UTF_8));
        String place = name ? address : "at-" + HexFormat.of().formatHex(digest, 0, 8);
        return new Remote(repository, git, address, "refs/remotes/" + place + "/main");
    }

    /** Names an address, for later. */
    static void remember(Path repository, String name, String address) throws IOException {
        NativeGit.Answer answer = new NativeGit(repository).run("config", "remote." + name + ".url", address);
        if (!answer.succeeded()) {
            throw new RemoteFailedException(answer.complaint());
        }
    }

    /** What the other copy's {@code main} was when it was last fetched. */
    Optional<Oid> lastFetched() throws IOException {
        NativeGit.Answer answer = git.run("rev-parse", "--verify", "--quiet", tracking);
        String hex = answer.out().strip();
        return answer.succeeded() && Oid.isHex(hex) ? Optional.of(Oid.parse(hex)) : Optional.empty();
    }

    /** Brings its objects here, on disk, and says what its {@code main} is; empty if it went back or was written anew. */
    Optional<Oid> fetch() throws IOException {
        Set<Path> before = packs();
        NativeGit.Answer answer = git.run(
                "-c",
                "fetch.unpackLimit=1",
                "-c",
                "fetch.fsckObjects=true",
                "-c",
                "gc.auto=0",
                "fetch",
                "--no-tags",
                "--no-write-fetch-head",
                "--",
                address,
                MainRef.NAME + ":" + tracking);
        if (!answer.succeeded() && answer.err().contains("[rejected]")) {
            return Optional.empty();
        }
        if (!answer.succeeded()) {
            throw new RemoteFailedException(answer.complaint());
        }
        force(before);
        Optional<Oid> fetched = lastFetched();
        if (fetched.isEmpty()) {
            throw new RemoteFailedException(address + " has no " + MainRef.NAME);
        }
        return fetched;
    }

    Push push(Oid commit) throws IOException {
        NativeGit.Answer answer = git.run("push", "--porcelain", "--", address, commit + ":" + MainRef.NAME);
        List<String> lines = answer.out()
                .lines()
                .filter(line -> line.contains("\t") && line.contains(":" + MainRef.NAME))
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

    /** Git forces what it writes, as this repository's configuration tells it to, but not the directory. */
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
