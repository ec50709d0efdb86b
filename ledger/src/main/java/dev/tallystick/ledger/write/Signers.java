package dev.tallystick.ledger.write;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.ledger.git.Digests;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.history.KeyRing;
import dev.tallystick.ledger.history.Layout;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.ssh.SigningKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The private keys on this machine, each in a file named after its public key. The ledger's key ring decides which of them
 * signs, so that a rotation is one commit and needs no second step here. Not thread-safe.
 */
public final class Signers {

    private final Path directory;
    private @Nullable Oid ringOf;
    private @Nullable SigningKey current;

    public Signers(Path local) {
        this.directory = local.resolve("keys");
    }

    /** Stores a key, on disk, before it is used. */
    public void add(SigningKey key) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path file = directory.resolve(fingerprint(key.publicKey()));
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

    /** The key that must sign the ledger's next commit. */
    SigningKey current(View view) throws IOException {
        return held(view)
                .orElseThrow(() -> new MissingKeyException("this machine does not have the ledger's current key; "
                        + "import it with 'tally ledger keys --import FILE'"));
    }

    /** The key that must sign the ledger's next commit, if this machine has it. */
    public Optional<SigningKey> held(View view) throws IOException {
        Oid ring = view.find(java.util.List.of(Layout.KEYS)).map(Tree.Entry::id).orElse(null);
        SigningKey key = current;
        if (key != null && ring != null && ring.equals(ringOf)) {
            return Optional.of(key);
        }
        Optional<SigningKey> found = find(KeyRing.read(view).newest().key());
        current = found.orElse(null);
        ringOf = ring;
        return found;
    }

    public Optional<SigningKey> find(PublicKey key) throws IOException {
        return find(fingerprint(key));
    }

    /** The key whose public key has this fingerprint. */
    Optional<SigningKey> find(String fingerprint) throws IOException {
        try {
            return Optional.of(SigningKey.parse(Files.readString(directory.resolve(fingerprint), US_ASCII)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new MissingKeyException("the key file " + directory.resolve(fingerprint)
                    + " is damaged: import the key again with 'tally ledger keys --import FILE'");
        }
    }

    public static String fingerprint(PublicKey key) {
        return HexFormat.of().formatHex(Digests.sha256().digest(key.line().getBytes(UTF_8)));
    }
}
