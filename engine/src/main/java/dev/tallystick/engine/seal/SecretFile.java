package dev.tallystick.engine.seal;

import dev.tallystick.core.file.ForcedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.Supplier;

/** Secrets in files that only their owner may read or write. */
final class SecretFile {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final int LONGEST = 4_096;

    private SecretFile() {}

    /** The content; the first time, {@code fresh} makes it. If several processes make it at once, all get that of one. */
    static String readOrMake(Path file, Supplier<String> fresh) {
        try {
            if (!Files.exists(file)) {
                make(file, fresh.get());
            }
            return read(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot use " + file, e);
        }
    }

    private static void make(Path file, String content) throws IOException {
        try {
            ForcedFiles.createWhole(file, (content + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (FileAlreadyExistsException other) {
            // Another process was first, and its secret counts.
        }
        ForcedFiles.forceDirectory(file.toAbsolutePath().resolveSibling(""));
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

    private static boolean hasPermissions() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    }
}
