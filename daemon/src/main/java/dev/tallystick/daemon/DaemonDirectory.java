package dev.tallystick.daemon;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.ProcessLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;

/**
 * The directory of one daemon: only its user can enter it, and one daemon at a time has its lock. Closing it gives the lock
 * back; so does the end of the process, however it ends.
 */
public final class DaemonDirectory implements AutoCloseable {

    private static final String LOCK = "daemon.lock";
    private static final Integer ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 022;

    /** In a directory with this bit, users can rename and remove only what is theirs. */
    private static final int STICKY = 01000;

    private static final Set<PosixFilePermission> FOREIGN = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

    private final Path path;
    private final FileChannel lock;

    private DaemonDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Opens the directory, creating it if it is not there, and takes its lock.
     *
     * @throws DaemonStartException if another daemon has it, or others can read or change what is in it
     */
    public static DaemonDirectory open(Path path) {
        Path absolute = path.toAbsolutePath().normalize();
        try {
            create(absolute);
            Path real = real(absolute);
            requirePrivate(real);
            return new DaemonDirectory(real, lock(real));
        } catch (IOException e) {
            throw new DaemonStartException(
                    DaemonStartException.Kind.UNUSABLE, "cannot use the directory " + absolute + ": " + e, e);
        }
    }

    private static void create(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(
                    path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new DaemonStartException(
                    DaemonStartException.Kind.NOT_PRIVATE, path + " must be a directory, and not a link");
        }
    }

    /** With the links above it resolved: where they lead is checked, and they may change later. */
    private static Path real(Path path) throws IOException {
        Path parent = path.getParent();
        return parent == null ? path : parent.toRealPath().resolve(path.getFileName());
    }

    /** Who can write to a directory above can put another one in place of this one, with hooks in it. */
    private static void requireUnmovable(Path path, UserPrincipal user) throws IOException {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            boolean isTrusted = ROOT.equals(Files.getAttribute(above, "unix:uid"))
                    || Files.getOwner(above).equals(user);
            int mode = (Integer) Files.getAttribute(above, "unix:mode");
            if (!isTrusted || ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0)) {
                throw new DaemonStartException(
                        DaemonStartException.Kind.NOT_PRIVATE,
                        "others can replace what is in " + above + ": run chmod go-w " + above
                                + ", or use a directory elsewhere");
            }
        }
    }

    private static void requirePrivate(Path path) throws IOException {
        UserPrincipal user = FileSystems.getDefault()
                .getUserPrincipalLookupService()
                .lookupPrincipalByName(System.getProperty("user.name"));
        requireUnmovable(path, user);
        requirePrivate(path, user, "chmod 700 " + path);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                if (Files.isSymbolicLink(file)) {
                    throw new DaemonStartException(
                            DaemonStartException.Kind.NOT_PRIVATE, file + " is a link: remove it");
                }
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    requirePrivate(file, user, "chmod 600 " + file);
                }
            }
        }
    }

    private static void requirePrivate(Path path, UserPrincipal user, String remedy) throws IOException {
        UserPrincipal owner = Files.getOwner(path, LinkOption.NOFOLLOW_LINKS);
        if (!owner.equals(user)) {
            throw new DaemonStartException(
                    DaemonStartException.Kind.NOT_PRIVATE,
                    path + " belongs to " + owner.getName() + ", not to you: use a directory of your own");
        }
        if (Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS).stream()
                .anyMatch(FOREIGN::contains)) {
            throw new DaemonStartException(
                    DaemonStartException.Kind.NOT_PRIVATE, path + " is open to others: run " + remedy);
        }
    }

    private static FileChannel lock(Path path) throws IOException {
        FileChannel channel = FileChannel.open(
                path.resolve(LOCK),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        if (!ProcessLock.lockOrClose(channel)) {
            throw new DaemonStartException(
                    DaemonStartException.Kind.IN_USE,
                    "a daemon already uses " + path + ": stop it first, or use another directory");
        }
        return channel;
    }

    public Path path() {
        return path;
    }

    /** A file of the directory, which only its user can read. */
    void write(String name, String content) throws IOException {
        ForcedFiles.replace(path.resolve(name), content.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot give back the lock of " + path, e);
        }
    }
}
