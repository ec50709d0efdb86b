package dev.tallystick.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.Base64;

/** The password of a cluster: 256 random bits in a file that only the owner can read. Never printed. */
record Password(String value) {

    private static final int BYTES = 32;

    /** The stored password, or a new one if there is neither a password nor a cluster yet. */
    static Password of(Layout layout) throws IOException {
        if (Files.exists(layout.passwordFile())) {
            return new Password(Files.readString(layout.passwordFile()).strip());
        }
        if (Files.exists(layout.data())) {
            throw new PostgresStartException(
                    "%s is missing, and the cluster beside it cannot be opened without it. Restore the file from a backup."
                            .formatted(layout.passwordFile()));
        }
        Password password = random();
        PrivateFiles.write(layout.passwordFile(), password.value + "\n");
        return password;
    }

    private static Password random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new Password(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    @Override
    public String toString() {
        return "Password[hidden]";
    }
}
