package dev.tallystick.log.witness;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.ProcessLock;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answers the {@code add-checkpoint} requests of logs that it knows. Keeps the last checkpoint of each in a file. Thread-safe. */
public final class Witness implements Closeable {

    /** The longest body that is read. */
    public static final int LONGEST_BODY = SignedNote.LONGEST;

    /** An answer over HTTP: cosignature lines for 200, the size to continue from for 409, a reason otherwise. */
    public record Answer(int status, String body) {}

    private final Path directory;
    private final NoteSigner signer;
    private final Map<String, List<VerifierKey>> logs;
    private final InstantSource clock;
    private final ProcessLock lock;

    /**
     * Opens the state of a witness, or begins one.
     *
     * @param logs the keys that this witness accepts, by the origin of their log
     */
    public Witness(Path directory, NoteSigner signer, Map<String, List<VerifierKey>> logs, InstantSource clock)
            throws IOException {
        this.directory = directory;
        this.signer = signer;
        this.logs = Map.copyOf(logs);
        this.clock = clock;
        ForcedFiles.createDirectories(directory);
        this.lock = ProcessLock.open(directory, "lock");
    }

    public VerifierKey key() {
        return signer.key();
    }

    /** The body of a request: the size to continue from, the proof from there, and the checkpoint. */
    public static String request(long oldSize, List<Hash> proof, SignedNote checkpoint) {
        StringBuilder body = new StringBuilder("old " + oldSize + "\n");
        proof.forEach(hash -> body.append(hash.base64()).append('\n'));
        return body.append('\n').append(checkpoint).toString();
    }

    public Answer addCheckpoint(String body) throws IOException {
        Request request;
        Checkpoint checkpoint;
        try {
            request = Request.parse(body);
            checkpoint = Checkpoint.parse(request.note.text());
        } catch (IllegalArgumentException e) {
            return new Answer(400, "malformed request: " + e.getMessage() + "\n");
        }
        List<VerifierKey> keys = logs.get(checkpoint.origin());
        if (keys == null) {
            return new Answer(404, "unknown log\n");
        }
        if (keys.stream().noneMatch(request.note::isSignedBy)) {
            return new Answer(403, "no signature by a key of this log\n");
        }
        if (request.oldSize > checkpoint.size()) {
            return new Answer(400, "the old size is larger than the new one\n");
        }
        return lock.holding(() -> cosign(request, checkpoint));
    }

    private Answer cosign(Request request, Checkpoint checkpoint) throws IOException {
        Optional<Checkpoint> last = last(checkpoint.origin());
        long lastSize = last.map(Checkpoint::size).orElse(0L);
        if (request.oldSize != lastSize) {
            return new Answer(409, lastSize + "\n");
        }
        Hash lastRoot = last.map(Checkpoint::root).orElse(Hash.EMPTY_TREE);
        if (!MerkleProofs.consistent(lastSize, lastRoot, checkpoint.size(), checkpoint.root(), request.proof)) {
            return new Answer(422, "the checkpoint does not continue the one of size " + lastSize + "\n");
        }
        ForcedFiles.replace(file(checkpoint.origin()), request.note.bytes());
        return new Answer(200, signer.cosign(checkpoint, clock.instant()).line() + "\n");
    }

    /** The last checkpoint of a log that was cosigned. */
    public Optional<Checkpoint> last(String origin) throws IOException {
        Path file = file(origin);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        return Optional.of(
                Checkpoint.parse(SignedNote.parse(Files.readAllBytes(file)).text()));
    }

    private Path file(String origin) {
        return directory.resolve(Hash.sha256(origin.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .hex());
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }

    private record Request(long oldSize, List<Hash> proof, SignedNote note) {

        private static final String OLD = "old ";

        static Request parse(String body) {
            int blank = body.indexOf("\n\n");
            if (body.length() > LONGEST_BODY || !body.startsWith(OLD) || blank < 0) {
                throw new IllegalArgumentException(
                        "it begins with 'old SIZE', has a proof, an empty line and a checkpoint");
            }
            String[] lines = body.substring(0, blank).split("\n", MerkleProofs.LONGEST + 2);
            List<Hash> proof = new ArrayList<>();
            for (String line : List.of(lines).subList(1, lines.length)) {
                proof.add(Hash.parse(line));
            }
            return new Request(
                    Checkpoint.decimal(lines[0].substring(OLD.length())),
                    proof,
                    SignedNote.parse(body.substring(blank + 2)));
        }
    }
}
