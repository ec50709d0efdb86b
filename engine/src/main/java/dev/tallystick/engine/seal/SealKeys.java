package dev.tallystick.engine.seal;

import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.VerifierKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The private key that signs the log, and the secret behind the tags of all members. Both are in files, never in Postgres. */
record SealKeys(NoteSigner signer, InstallationSecret secret) {

    /**
     * Reads the files; makes them if the log has not begun.
     *
     * @param begun the name of the log; null if it has not begun
     * @param origin its name otherwise
     */
    static SealKeys open(Path directory, LogNumber number, @Nullable String begun, String origin) {
        Path key = directory.resolve(SigningKeys.current(number));
        Path secret = directory.resolve(KeptSecret.FILE);
        if (begun != null && !(Files.exists(key) && Files.exists(secret))) {
            throw new IllegalArgumentException("the jobs of this database are sealed into the log '" + begun
                    + "', but " + key + " or " + secret
                    + " is missing: let the server with these files seal, or restore both from where you keep them");
        }
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make " + directory, e);
        }
        SecureRandom random = new SecureRandom();
        NoteSigner signer = NoteSigner.parse(SecretFile.readOrMake(
                key,
                () -> NoteSigner.generate(origin, VerifierKey.Type.NOTE, random)
                        .secretText()
                        .strip()));
        if (begun != null && !begun.equals(signer.key().name())) {
            throw new IllegalArgumentException(key + " is the key of the log '"
                    + signer.key().name() + "', but the jobs of this database are sealed into '" + begun + "'");
        }
        String hex = SecretFile.readOrMake(
                secret,
                () -> HexFormat.of().formatHex(InstallationSecret.draw(random).bytes()));
        return new SealKeys(signer, InstallationSecret.of(HexFormat.of().parseHex(hex)));
    }
}
