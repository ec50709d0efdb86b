package dev.tallystick.engine.seal;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.SecretReader;
import dev.tallystick.log.files.LogAlarm;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.VerifierKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * The private key that signs the log, and the one that is to follow it. The log decides which of the two is in force: its entries
 * name each key's successor. The file of the old key is replaced when the log has named the next one, and not before. One thread
 * changes it; others may read the current key.
 */
public final class SigningKeys {

    private final Path directory;
    private final LogNumber number;
    private final CrashPoints crashPoints;
    private volatile NoteSigner current;

    SigningKeys(Path directory, LogNumber number, NoteSigner current, CrashPoints crashPoints) {
        this.directory = directory;
        this.number = number;
        this.current = current;
        this.crashPoints = crashPoints;
    }

    /** The name of the file with the key that signs. */
    static String current(LogNumber number) {
        return number.file("signing", ".key");
    }

    private static String next(LogNumber number) {
        return number.file("next", ".key");
    }

    /** The result of a request for another key. */
    public sealed interface Request {

        /** The server that seals names this key in its next batch, and signs with it from then on. */
        record Made(VerifierKey next) implements Request {}

        /** A request is already pending, for this key. */
        record Pending(VerifierKey next) implements Request {}
    }

    /**
     * Makes the next key of a log.
     *
     * @param directory the secrets of the server that seals
     * @throws IOException if the current key is not there
     */
    public static Request request(Path directory, LogNumber number, CrashPoints crashPoints) throws IOException {
        NoteSigner now = NoteSigner.parse(SecretReader.read(directory.resolve(current(number))));
        NoteSigner next = NoteSigner.generate(now.key().name(), VerifierKey.Type.NOTE, new SecureRandom());
        Path file = directory.resolve(next(number));
        try {
            ForcedFiles.createWhole(file, next.secretText().getBytes(StandardCharsets.UTF_8));
        } catch (FileAlreadyExistsException e) {
            return new Request.Pending(NoteSigner.parse(SecretReader.read(file)).key());
        }
        crashPoints.reached(RotationCrashPoint.NEXT_KEY_MADE);
        ForcedFiles.forceDirectory(directory);
        return new Request.Made(next.key());
    }

    NoteSigner current() {
        return current;
    }

    /** The key that was made to follow the current one, if any. */
    Optional<VerifierKey> next() throws IOException {
        return readNext().map(NoteSigner::key).filter(key -> !key.equals(current.key()));
    }

    private Optional<NoteSigner> readNext() throws IOException {
        Path file = directory.resolve(next(number));
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            NoteSigner next = NoteSigner.parse(SecretReader.read(file));
            if (next.key().name().equals(current.key().name()) && next.key().type() == VerifierKey.Type.NOTE) {
                return Optional.of(next);
            }
        } catch (IllegalArgumentException e) {
            throw new LogAlarm(LogAlarm.Reason.OTHER_KEYS, file, String.valueOf(e.getMessage()));
        }
        throw new LogAlarm(LogAlarm.Reason.OTHER_KEYS, file, "is not a key of this log");
    }

    /**
     * Makes the key current that the log has in force.
     *
     * @throws LogAlarm if neither key here is that one
     */
    void use(VerifierKey inForce) throws IOException {
        if (inForce.equals(current.key())) {
            return;
        }
        NoteSigner next = readNext()
                .filter(each -> each.key().equals(inForce))
                .orElseThrow(() -> new LogAlarm(
                        LogAlarm.Reason.OTHER_KEYS,
                        directory.resolve(current(number)),
                        "is not the key " + inForce
                                + ", which the log has in force: copy it from the server that seals"));
        crashPoints.reached(RotationCrashPoint.NEXT_KEY_IN_FORCE);
        Files.move(directory.resolve(next(number)), directory.resolve(current(number)), StandardCopyOption.ATOMIC_MOVE);
        ForcedFiles.forceDirectory(directory);
        crashPoints.reached(RotationCrashPoint.OLD_KEY_GONE);
        current = next;
    }
}
