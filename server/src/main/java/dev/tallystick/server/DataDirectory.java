package dev.tallystick.server;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The directory with the server's files, and the checks that make them trustworthy: the server runs the workflows in it with
 * all its rights, so only its own user and root may be able to write to it.
 */
final class DataDirectory {

    private static final int OTHERS_WRITE = 0002;
    private static final int GROUP_WRITES = 0020;
    private static final int STICKY = 01000;
    private static final int PERMISSIONS = 0777;
    private static final long ROOT = 0;

    /**
     * Creates the directory if it is missing.
     *
     * @throws IllegalArgumentException if others may write to it or replace it
     */
    static void open(Path directory) {
        try {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make " + directory, e);
        }
        requireTrusted(directory);
        Path token = directory.resolve(AdminToken.FILE);
        if (Files.exists(token)) {
            requireTrusted(token);
        }
    }

    /** Checks something that is used as it is: a directory, or a file in it. */
    static void requireTrusted(Path path) {
        if (!FileSystems.getDefault().supportedFileAttributeViews().contains("unix")) {
            return;
        }
        try {
            Path real = path.toRealPath();
            int mode = mode(real);
            if ((mode & (GROUP_WRITES | OTHERS_WRITE)) != 0) {
                throw new IllegalArgumentException("others than its owner may write to " + path + ", for its mode is "
                        + inWords(mode) + ": run chmod go-w " + real);
            }
            long owner = ((Number) Files.getAttribute(real, "unix:uid")).longValue();
            long self = new UnixSystem().getUid();
            if (owner != self && owner != ROOT) {
                throw new IllegalArgumentException(path + " belongs to the user " + owner + ", and this server runs as "
                        + self + ": give it to the server's user, or choose another one");
            }
            for (Path above = real.getParent(); above != null; above = above.getParent()) {
                requireLasting(above);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look at " + path, e);
        }
    }

    /** A user who may write to a directory may replace its entries, unless it is sticky. */
    private static void requireLasting(Path above) throws IOException {
        int mode = mode(above);
        if ((mode & OTHERS_WRITE) != 0 && (mode & STICKY) == 0) {
            throw new IllegalArgumentException("everybody may put something else in the place of what is in " + above
                    + ", for its mode is " + inWords(mode) + ": run chmod o-w " + above + ", or choose another --data");
        }
    }

    private static int mode(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:mode");
    }

    private static String inWords(int mode) {
        return "%04o".formatted(mode & (STICKY | PERMISSIONS));
    }

    private DataDirectory() {}
}
