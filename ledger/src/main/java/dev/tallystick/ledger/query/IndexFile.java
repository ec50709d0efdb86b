package dev.tallystick.ledger.query;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.ledger.git.Digests;
import dev.tallystick.ledger.ssh.SigningKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * The saved query index: a SQLite database followed by a seal. The seal is a MAC over the digest of all bytes before it, under
 * the private key that signs the ledger's next commit. So a file edited by anyone without this key is not used. The file is
 * copied while it is hashed, and only the copy is opened: queries run on exactly the hashed bytes.
 */
final class IndexFile {

    private static final String PURPOSE = "tally-index-v1 ";
    private static final int SEAL_LENGTH = 64;
    private static final int CHUNK = 1 << 20;

    private final Path file;

    IndexFile(Path file) {
        this.file = file;
    }

    /** Copies the database to {@code target} if there is one sealed with {@code key}. */
    boolean copyTo(Path target, SigningKey key) throws IOException {
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            long length = in.size() - SEAL_LENGTH;
            if (length < 0) {
                return false;
            }
            byte[] digest = copy(in, target, length);
            ByteBuffer seal = ByteBuffer.allocate(SEAL_LENGTH);
            while (seal.hasRemaining() && in.read(seal) >= 0) {}
            return MessageDigest.isEqual(seal.array(), seal(key, digest));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Replaces the saved index with a sealed copy of {@code database}. Not forced: a torn file has no valid seal. */
    void save(Path database, SigningKey key) throws IOException {
        Path temporary = Files.createTempFile(
                file.toAbsolutePath().getParent(), file.getFileName().toString(), ".tmp");
        try (FileChannel in = FileChannel.open(database, StandardOpenOption.READ)) {
            byte[] seal = seal(key, copy(in, temporary, in.size()));
            Files.write(temporary, seal, StandardOpenOption.APPEND);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Returns the digest of the copied bytes. */
    private static byte[] copy(FileChannel in, Path target, long length) throws IOException {
        MessageDigest digest = Digests.sha256();
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        try (FileChannel out = FileChannel.open(
                target, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            for (long left = length; left > 0; ) {
                chunk.clear().limit((int) Math.min(CHUNK, left));
                int got = in.read(chunk);
                if (got < 0) {
                    break;
                }
                digest.update(chunk.array(), 0, got);
                ForcedFiles.writeFully(out, chunk.flip());
                left -= got;
            }
        }
        return digest.digest();
    }

    private static byte[] seal(SigningKey key, byte[] digest) {
        byte[] mac = key.mac((PURPOSE + HexFormat.of().formatHex(digest)).getBytes(US_ASCII));
        return HexFormat.of().formatHex(mac).getBytes(US_ASCII);
    }
}
