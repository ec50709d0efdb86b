package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.JsonFields;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.ring.KeyRing;
import dev.tallystick.log.ring.Rotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A promise as its holder has it.
 *
 * @param note the text of an {@link AcceptancePromise} with the log's signature
 * @param fingerprint the fingerprint of the request, with what opens its commitment; null if the holder does not show it
 */
public record SignedPromise(SignedNote note, @Nullable Opened fingerprint) {

    public static final String FORMAT = AcceptancePromise.FORMAT;

    /**
     * What a promise shows.
     *
     * @param fingerprint the fingerprint of the promised request, if the holder shows it
     */
    public record Facts(AcceptancePromise promise, Optional<String> fingerprint) {}

    /**
     * Verifies a promise; any bytes may be given.
     *
     * @param rotations of the log's key, as far as the verifier knows them: each of its keys may have signed
     */
    public static Verdict<Facts> verify(byte[] json, Trust trust, List<Rotation> rotations) {
        return Verdict.of(bytes -> parse(bytes).facts(trust, rotations), json);
    }

    private Facts facts(Trust trust, List<Rotation> rotations) {
        AcceptancePromise promise = promised(note, trust, rotations);
        if (fingerprint == null) {
            return new Facts(promise, Optional.empty());
        }
        if (fingerprint.value() instanceof Json.StringValue text
                && fingerprint.opens(promise.fingerprint(), promise.job(), AcceptancePromise.FIELD)) {
            return new Facts(promise, Optional.of(text.value()));
        }
        throw new IllegalArgumentException("the fingerprint is not the one that was promised");
    }

    /** What the note says. Until it is verified, it proves nothing. */
    public AcceptancePromise unverified() {
        return AcceptancePromise.parse(note.text());
    }

    /** The promise in a note, if a key of the log signed it. */
    static AcceptancePromise promised(SignedNote note, Trust trust, List<Rotation> rotations) {
        AcceptancePromise promise = AcceptancePromise.parse(note.text());
        String log = trust.key().name();
        if (!promise.origin().equals(log)) {
            throw new IllegalArgumentException(
                    "the promise is of the log '" + promise.origin() + "', not of '" + log + "'");
        }
        if (keys(trust, rotations).stream().noneMatch(note::isSignedBy)) {
            throw new IllegalArgumentException("the promise is not signed by the log's key");
        }
        return promise;
    }

    private static List<VerifierKey> keys(Trust trust, List<Rotation> rotations) {
        List<VerifierKey> keys = new ArrayList<>();
        keys.add(trust.key());
        if (!trust.currentKeyOnly()) {
            KeyRing.of(trust.key(), rotations).rotations().forEach(rotation -> keys.add(rotation.next()));
        }
        return keys;
    }

    public static SignedPromise parse(byte[] json) {
        JsonFields fields = Document.open("a promise", FORMAT, json);
        SignedPromise promise = new SignedPromise(
                SignedNote.parse(fields.text("note")),
                fields.findObject("fingerprint").map(Opened::parse).orElse(null));
        fields.end();
        AcceptancePromise unused = promise.unverified();
        return promise;
    }

    public Json json() {
        Map<String, Json> members = new TreeMap<>();
        members.put("format", Json.of(FORMAT));
        members.put("note", Json.of(note.toString()));
        if (fingerprint != null) {
            members.put("fingerprint", fingerprint.json());
        }
        return new Json.ObjectValue(members);
    }
}
