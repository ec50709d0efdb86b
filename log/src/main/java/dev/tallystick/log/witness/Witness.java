package dev.tallystick.log.witness;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.ProcessLock;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSignature;
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

    static final int OK = 200;
    static final int CONFLICT = 409;
    static final int UNPROVEN = 422;

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
            return new Answer(CONFLICT, lastSize + "\n");
        }
        Hash lastRoot = last.map(Checkpoint::root).orElse(Hash.EMPTY_TREE);
        if (!MerkleProofs.consistent(lastSize, lastRoot, checkpoint.size(), checkpoint.root(), request.proof)) {
            return new Answer(UNPROVEN, "the checkpoint does not continue the one of size " + lastSize + "\n");
        }
        NoteSignature cosignature = signer.cosign(checkpoint, clock.instant());
        SignedNote trusted = request.note.signedOnlyBy(logs.getOrDefault(checkpoint.origin(), List.of()));
        ForcedFiles.replace(
                file(checkpoint.origin()), trusted.with(List.of(cosignature)).bytes());
        return new Answer(OK, cosignature.line() + "\n");
    }

    /** The last checkpoint of a log that was cosigned. */
    public Optional<Checkpoint> last(String origin) throws IOException {
        Optional<SignedNote> note = cosigned(originHash(origin));
        return note.map(each -> Checkpoint.parse(each.text()));
    }

    /** The last checkpoint of a log, with this witness's cosignature. */
    public Optional<SignedNote> cosigned(String originHash) throws IOException {
        Path file = directory.resolve(originHash);
        boolean known =
                logs.keySet().stream().anyMatch(origin -> originHash(origin).equals(originHash));
        return known && Files.exists(file) ? Optional.of(SignedNote.parse(Files.readAllBytes(file))) : Optional.empty();
    }

    private Path file(String origin) {
        return directory.resolve(originHash(origin));
    }

    /** How a witness names a log in an address. */
    public static String originHash(String origin) {
        return Hash.sha256(origin.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .hex();
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
