package dev.tallystick.log.note;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A text with signatures, as C2SP signed-note writes it. The signatures are verified by {@link #isSignedBy} and
 * {@link #cosignedAt} and by nothing else: until then the text proves nothing.
 *
 * @param text the signed text, which ends with a line end
 */
public record SignedNote(String text, List<NoteSignature> signatures) {

    /** The most signatures that a note may have; C2SP demands at least 16. */
    public static final int MOST_SIGNATURES = 64;

    public static final int LONGEST = 256 * 1024;

    public SignedNote {
        signatures = List.copyOf(signatures);
        requireText(text);
        if (signatures.isEmpty() || signatures.size() > MOST_SIGNATURES) {
            throw new IllegalArgumentException("a note has 1 to 64 signatures, not " + signatures.size());
        }
    }

    static SignedNote of(String text, NoteSignature signature) {
        return new SignedNote(text, List.of(signature));
    }

    /** Parses the bytes of a note, which must be UTF-8. */
    public static SignedNote parse(byte[] bytes) {
        if (bytes.length > LONGEST) {
            throw new IllegalArgumentException("a note has at most 256 KiB, not " + bytes.length + " bytes");
        }
        try {
            return parse(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a note must be UTF-8", e);
        }
    }

    public static SignedNote parse(String note) {
        if (note.length() > LONGEST) {
            throw new IllegalArgumentException("a note has at most 256 KiB");
        }
        int blank = note.lastIndexOf("\n\n");
        if (blank < 0 || !note.endsWith("\n")) {
            throw new IllegalArgumentException("a note is a text, an empty line, and signatures");
        }
        String lines = note.substring(blank + 2);
        if (lines.isEmpty()) {
            throw new IllegalArgumentException("a note has at least one signature");
        }
        List<NoteSignature> signatures = new ArrayList<>();
        for (String line : lines.substring(0, lines.length() - 1).split("\n", MOST_SIGNATURES + 2)) {
            signatures.add(NoteSignature.parse(line));
        }
        return new SignedNote(note.substring(0, blank + 1), signatures);
    }

    private static void requireText(String text) {
        if (!text.endsWith("\n") || text.chars().anyMatch(c -> c < ' ' && c != '\n')) {
            throw new IllegalArgumentException("the text of a note ends with a line end and has no control characters");
        }
    }

    /**
     * Whether the key signed the text. A note with one good and one bad signature of the same key is refused as a whole.
     */
    public boolean isSignedBy(VerifierKey key) {
        List<NoteSignature> theirs =
                signatures.stream().filter(each -> each.isBy(key)).toList();
        return !theirs.isEmpty() && theirs.stream().allMatch(each -> verifies(key, each));
    }

    private boolean verifies(VerifierKey key, NoteSignature signature) {
        return switch (key.type()) {
            case NOTE -> key.verifies(text.getBytes(UTF_8), signature.signature());
            case COSIGNATURE -> Cosignature.verifies(key, text, signature.signature());
        };
    }

    /** When the witness with this key cosigned, if it did: the latest of its cosignatures. */
    public Optional<Instant> cosignedAt(VerifierKey key) {
        if (key.type() != VerifierKey.Type.COSIGNATURE || !isSignedBy(key)) {
            return Optional.empty();
        }
        return signatures.stream()
                .filter(each -> each.isBy(key))
                .map(each -> Cosignature.time(each.signature()))
                .max(Instant::compareTo);
    }

    /** This note with more signatures; those that it already has are not repeated. */
    public SignedNote with(List<NoteSignature> more) {
        List<NoteSignature> all = new ArrayList<>(signatures);
        more.stream().filter(each -> !all.contains(each)).forEach(all::add);
        return new SignedNote(text, all);
    }

    /** This note with the signatures of these keys alone. */
    public SignedNote signedOnlyBy(List<VerifierKey> keys) {
        return new SignedNote(
                text,
                signatures.stream()
                        .filter(each -> keys.stream().anyMatch(each::isBy))
                        .toList());
    }

    public byte[] bytes() {
        return toString().getBytes(UTF_8);
    }

    /** The note as it is stored and sent. */
    @Override
    public String toString() {
        StringBuilder note = new StringBuilder(text).append('\n');
        signatures.forEach(each -> note.append(each.line()).append('\n'));
        return note.toString();
    }
}
