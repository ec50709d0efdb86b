package dev.tallystick.core.file;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Reads secrets from files that only their owner may read or write. */
public final class SecretReader {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final int LONGEST = 4_096;

    /**
     * The secret in a file, without the white space around it.
     *
     * @throws IllegalArgumentException if others may read or write the file, or if it is too long for a secret
     */
    public static String read(Path file) throws IOException {
        if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
            if (!OWNER_ONLY.containsAll(mode)) {
                throw new IllegalArgumentException("others may read " + file + ", whose mode is "
                        + PosixFilePermissions.toString(mode) + ": run chmod 600 " + file
                        + ", and consider its content known");
            }
        }
        if (Files.size(file) > LONGEST) {
            throw new IllegalArgumentException(file + " is no secret of ours: it is too long");
        }
        return Files.readString(file).strip();
    }

    private SecretReader() {}
}
