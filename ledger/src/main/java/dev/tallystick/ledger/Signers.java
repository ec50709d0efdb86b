package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The private keys that this machine has, each in a file named after its public half. Which of them signs is decided by the
 * ring in the ledger, so that a rotation is one commit and needs no second step here. Not thread-safe.
 */
final class Signers {

    private final Path directory;
    private @Nullable Oid ringOf;
    private @Nullable SigningKey current;

    Signers(Path local) {
        this.directory = local.resolve("keys");
    }

    /** Stores a key, on disk, before anything relies on it. */
    void add(SigningKey key) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path file = file(key.publicKey());
        if (Files.exists(file)) {
            return;
        }
        Path temporary = directory.resolve(file.getFileName() + ".new");
        Files.deleteIfExists(temporary);
        Files.createFile(temporary, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        ForcedFiles.fill(temporary, key.toOpenSsh().getBytes(US_ASCII));
        Files.move(temporary, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        ForcedFiles.forceDirectory(directory);
    }

    /** The key that the ledger wants its next commit signed with. */
    SigningKey current(View view) throws IOException {
        Oid ring = view.find(java.util.List.of(Layout.KEYS)).map(Tree.Entry::id).orElse(null);
        SigningKey key = current;
        if (key == null || ring == null || !ring.equals(ringOf)) {
            PublicKey wanted = KeyRing.read(view).newest().key();
            key = find(wanted)
                    .orElseThrow(
                            () -> new MissingKeyException("this machine does not have the ledger's key " + wanted));
            current = key;
            ringOf = ring;
        }
        return key;
    }

    Optional<SigningKey> find(PublicKey key) throws IOException {
        try {
            return Optional.of(SigningKey.parse(Files.readString(file(key), US_ASCII)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private Path file(PublicKey key) {
        byte[] fingerprint = Digests.sha256().digest(key.line().getBytes(UTF_8));
        return directory.resolve(HexFormat.of().formatHex(fingerprint));
    }
}
