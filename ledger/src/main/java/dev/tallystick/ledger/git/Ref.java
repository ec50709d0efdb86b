package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ForcedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A ref, moved by Git's own lock protocol: the process that creates {@code main.lock} may replace {@code main}.
 *
 * <p>A killed process leaves {@code main.lock} behind, and nothing in that file says who made it. We make ours recognisable:
 * the lock is written and forced as {@code tally/main.next}, its inode and content are recorded and forced in
 * {@code tally/main.claim}, and only then is it linked to {@code main.lock}. If a process holds the lock under which we move
 * this ref and finds a {@code main.lock} that matches the record, its owner is dead. Every other lock is respected.
 *
 * <p>Once a force has failed, visible data may be lost, and a later force may report success although it failed: this object
 * then refuses to move or force anything, and the ledger must be reopened.
 *
 * <p>Not thread-safe: any thread may call {@link #read} and {@link #force}, only the holder of that lock the rest.
 */
public final class Ref {

    /** The ref of the ledger's newest commit. */
    public static final String MAIN = "refs/heads/main";

    private static final int CLAIM_LENGTH = 64;

    private final String name;
    private final Path repository;
    private final Path directory;
    private final Path loose;
    private final Path lock;
    private final Path local;
    private final Path next;
    private final Path claim;
    private final CrashPoints crashPoints;
    private volatile boolean broken;

    /** @param mark distinguishes this ref's files in {@code tally/} from those of others */
    private Ref(Path repository, String name, String mark, CrashPoints crashPoints) {
        this.name = name;
        this.repository = repository;
        this.loose = repository.resolve(name);
        this.lock = repository.resolve(name + ".lock");
        this.directory = loose.resolveSibling("");
        this.local = repository.resolve(Repository.LOCAL);
        this.next = local.resolve(mark + ".next");
        this.claim = local.resolve(mark + ".claim");
        this.crashPoints = crashPoints;
    }

    public static Ref main(Path repository, CrashPoints crashPoints) {
        return new Ref(repository, MAIN, "main", crashPoints);
    }

    /** Another copy's {@code main} as of the last fetch; {@code place} is a plain name. */
    public static Ref remote(Path repository, String place) {
        return new Ref(repository, "refs/remotes/" + place + "/main", "remote-" + place, CrashPoints.NONE);
    }

    /** The target of the ref; empty if there is no ref. A ref without a valid target is damage, not absence. */
    public Optional<Oid> read() throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(loose);
        } catch (NoSuchFileException e) {
            return readPacked();
        }
        String text = new String(content, US_ASCII);
        if (text.length() != Oid.HEX + 1 || text.charAt(Oid.HEX) != '\n' || !Oid.isHex(text.substring(0, Oid.HEX))) {
            throw new DamagedRefException(name + " does not name a commit: " + content.length + " bytes");
        }
        return Optional.of(Oid.parse(text.substring(0, Oid.HEX)));
    }

    /** The result of an attempt to move the ref. */
    public enum Move {
        /** The ref names the new commit, on disk. */
        MOVED,
        /** Nothing changed: the ref did not have the expected target. */
        CHANGED,
        /** Nothing changed: another program holds the lock. */
        LOCKED
    }

    /** Moves the ref if its target is {@code expected}, or if there is no ref and that is null. */
    public Move compareAndSet(@Nullable Oid expected, Oid commit) throws IOException {
        prepare(commit);
        return move(expected);
    }

    /** Makes and claims the lock that will name {@code commit}. Not visible to others yet. */
    public void prepare(Oid commit) throws IOException {
        refuseIfBroken();
        ForcedFiles.createDirectories(directory);
        removeLeftOverLock();
        byte[] line = (commit + "\n").getBytes(US_ASCII);
        Files.deleteIfExists(next);
        ForcedFiles.create(next, line);
        writeClaim(claimOf(next, line));
    }

    /**
     * Moves the ref to what was prepared, as {@link #compareAndSet} does.
     *
     * @throws UnknownOutcomeException if the ref may have moved; after any other exception it has not
     */
    public Move move(@Nullable Oid expected) throws IOException {
        try {
            Files.createLink(lock, next);
        } catch (FileAlreadyExistsException e) {
            return Move.LOCKED;
        }
        crashPoints.reached(LedgerCrashPoint.REF_LOCKED);
        if (!read().equals(Optional.ofNullable(expected))) {
            dropLock();
            return Move.CHANGED;
        }
        try {
            Files.move(lock, loose, StandardCopyOption.ATOMIC_MOVE);
            crashPoints.reached(LedgerCrashPoint.REF_MOVED);
            force();
            Files.deleteIfExists(next);
        } catch (IOException e) {
            throw new UnknownOutcomeException(e);
        }
        crashPoints.reached(LedgerCrashPoint.REF_FORCED);
        return Move.MOVED;
    }

    /** After this, what {@link #read} returned before is durable, whichever process wrote it. */
    public void force() throws IOException {
        refuseIfBroken();
        try {
            ForcedFiles.forceDirectory(directory);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            broken = true;
            throw e;
        }
    }

    private void refuseIfBroken() throws IOException {
        if (broken) {
            throw new IOException("reopen the ledger: " + name + " could not be forced to disk");
        }
    }

    /** The caller holds the lock of our processes, so the owner of a lock recorded as ours is dead. */
    void removeLeftOverLock() throws IOException {
        byte[] content;
        String actual;
        try {
            content = Files.readAllBytes(lock);
            actual = claimOf(lock, content);
        } catch (NoSuchFileException e) {
            return;
        }
        if (Files.exists(claim)
                && actual.equals(Files.readString(claim, US_ASCII).strip())) {
            dropLock();
        }
    }

    /** Forced, because the claim is overwritten next: a lock that reappeared after a power cut would have no claim. */
    private void dropLock() throws IOException {
        Files.deleteIfExists(lock);
        force();
    }

    @Override
    public String toString() {
        return name;
    }

    private static String claimOf(Path file, byte[] content) throws IOException {
        return Files.getAttribute(file, "unix:ino") + " " + new String(content, US_ASCII).strip();
    }

    private void writeClaim(String text) throws IOException {
        byte[] padded = ("%-" + (CLAIM_LENGTH - 1) + "s\n").formatted(text).getBytes(US_ASCII);
        boolean known = Files.exists(claim);
        try (FileChannel channel = FileChannel.open(claim, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ForcedFiles.writeFully(channel, ByteBuffer.wrap(padded));
            channel.force(false);
        }
        if (!known) {
            ForcedFiles.forceDirectory(local);
        }
    }

    private Optional<Oid> readPacked() throws IOException {
        String packed;
        try {
            // A foreign branch may have any name, in any encoding.
            packed = Files.readString(repository.resolve("packed-refs"), ISO_8859_1);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        for (String line : packed.split("\n")) {
            if (line.endsWith(" " + name)) {
                String hex = line.substring(0, line.length() - name.length() - 1);
                if (!Oid.isHex(hex)) {
                    throw new DamagedRefException("packed-refs does not name a commit for " + name);
                }
                return Optional.of(Oid.parse(hex));
            }
        }
        return Optional.empty();
    }
}
