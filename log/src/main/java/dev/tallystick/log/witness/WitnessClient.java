package dev.tallystick.log.witness;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSignature;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/**
 * Asks one witness for cosignatures. Reads little of an answer, and believes none of it but a signature of the witness's key. One
 * thread at a time.
 */
final class WitnessClient {

    /** Room for a few signatures: a witness may send those of several keys. */
    static final int LONGEST_ANSWER = 32 * 1024;

    private static final int MOST_LINES = 16;

    /** Makes the proof from an older size of the log to the checkpoint that is asked about. */
    interface Proofs {
        List<Hash> from(long oldSize) throws IOException;
    }

    private final HttpClient http;
    private final URI address;
    private final VerifierKey key;
    private final Duration patience;

    /** The size that the witness has cosigned last, as far as we know. */
    private long known;

    WitnessClient(HttpClient http, URI prefix, VerifierKey key, Duration patience) {
        this.http = http;
        this.address = URI.create(prefix.toString().replaceAll("/+$", "") + "/add-checkpoint");
        this.key = key;
        this.patience = patience;
    }

    VerifierKey key() {
        return key;
    }

    /** Asks, and asks once more if the witness continues from another size than we thought. */
    Cosigning ask(SignedNote checkpoint, Proofs proofs) throws InterruptedException {
        long size = Checkpoint.parse(checkpoint.text()).size();
        try {
            known = Math.min(known, size);
            Answer answer = post(Witness.request(known, proofs.from(known), checkpoint));
            if (answer.status == Witness.CONFLICT) {
                long last = Checkpoint.decimal(answer.body.strip());
                if (last > size) {
                    return new Cosigning.Contradicted("it has cosigned size " + last + ", and the log has " + size);
                }
                known = last;
                answer = post(Witness.request(known, proofs.from(known), checkpoint));
            }
            return understand(answer, checkpoint, size);
        } catch (IOException e) {
            return new Cosigning.Unanswered(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return new Cosigning.Refused("it answers in another form: " + e.getMessage());
        }
    }

    private Cosigning understand(Answer answer, SignedNote checkpoint, long size) {
        return switch (answer.status) {
            case Witness.OK -> {
                String[] lines = answer.body.split("\n", MOST_LINES + 1);
                for (int i = 0; i < Math.min(lines.length, MOST_LINES); i++) {
                    if (lines[i].startsWith("— " + key.name() + " ")) {
                        NoteSignature signature = NoteSignature.parse(lines[i]);
                        if (checkpoint.with(List.of(signature)).cosignedAt(key).isPresent()) {
                            known = size;
                            yield new Cosigning.Cosigned(signature);
                        }
                    }
                }
                yield new Cosigning.Refused("its answer has no cosignature of its key");
            }
            case Witness.UNPROVEN ->
                new Cosigning.Contradicted("it says that the checkpoint does not continue size " + known);
            default -> new Cosigning.Refused("it answers with status " + answer.status);
        };
    }

    private record Answer(int status, String body) {}

    private Answer post(String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address)
                .timeout(patience)
                .POST(BodyPublishers.ofString(body))
                .build();
        HttpResponse<InputStream> response = http.send(request, BodyHandlers.ofInputStream());
        try (InputStream stream = response.body()) {
            byte[] bytes = stream.readNBytes(LONGEST_ANSWER + 1);
            if (bytes.length > LONGEST_ANSWER) {
                throw new IllegalArgumentException("more than " + LONGEST_ANSWER + " bytes");
            }
            return new Answer(response.statusCode(), new String(bytes, UTF_8));
        }
    }
}
