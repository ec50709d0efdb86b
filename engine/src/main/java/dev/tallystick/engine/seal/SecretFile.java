package dev.tallystick.engine.seal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** Secrets in files that only their owner may read or write. */
final class SecretFile {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final int LONGEST = 4_096;

    private SecretFile() {}

    /** The content; the first time, {@code fresh} makes it. */
    static String readOrMake(Path file, Supplier<String> fresh) {
        try {
            if (!Files.exists(file)) {
                write(file, fresh.get(), true);
            }
            return read(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot use " + file, e);
        }
    }

    private static String read(Path file) throws IOException {
        if (hasPermissions() && !OWNER_ONLY.containsAll(Files.getPosixFilePermissions(file))) {
            throw new IllegalArgumentException(
                    "others may read " + file + ": run chmod 600 " + file + ", and consider its content known");
        }
        if (Files.size(file) > LONGEST) {
            throw new IllegalArgumentException(file + " is no secret of ours: it is too long");
        }
        return Files.readString(file).strip();
    }

    /** Writes a file whole or not at all; an existing one is replaced. */
    static void write(Path file, String content, boolean secret) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        FileAttribute<?>[] attributes = secret && hasPermissions()
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
        try (FileChannel channel =
                FileChannel.open(fresh, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(content + "\n");
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        forceDirectory(Objects.requireNonNull(file.toAbsolutePath().getParent()));
    }

    private static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static boolean hasPermissions() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    }
}
