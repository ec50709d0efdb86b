package dev.tallystick.postgres;

import com.sun.security.auth.module.UnixSystem;
import dev.tallystick.core.file.ForcedFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Files that only their owner can open, and that are on disk before anything relies on them. */
final class PrivateFiles {

    static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Set<PosixFilePermission> OWNER_ONLY_DIRECTORY = PosixFilePermissions.fromString("rwx------");

    private static final Set<PosixFilePermission> FOR_OTHERS = PosixFilePermissions.fromString("---rwxrwx");
    private static final Set<PosixFilePermission> WRITABLE_BY_OTHERS = PosixFilePermissions.fromString("----w--w-");

    private static final int ROOT = 0;

    static boolean weAreRoot() {
        return ownUid() == ROOT;
    }

    static boolean isOurs(Path path) throws IOException {
        return uid(path) == ownUid();
    }

    /** Ensures that {@code directory} exists, is ours and is closed to all other users. */
    static void closeToOthers(Path directory) throws IOException {
        createDirectory(directory);
        if (!isOurs(directory)) {
            throw new PostgresStartException(
                    "%s belongs to another user. Use your own directory, or start as its owner.".formatted(directory));
        }
        if (!permits(directory, FOR_OTHERS)) {
            return;
        }
        // Close an empty directory silently. If it has contents, it has been open to others: tell the operator.
        if (!isEmpty(directory)) {
            throw new PostgresStartException(
                    "%s is open to other users of this machine, who may have read the password in it. Run: chmod 700 %s"
                            .formatted(directory, directory));
        }
        Files.setPosixFilePermissions(directory, OWNER_ONLY_DIRECTORY);
    }

    /** Ensures that only we and root can have written to {@code directory}: we run programs from there. */
    static void trustContents(Path directory) throws IOException {
        createDirectory(directory);
        if ((!isOurs(directory) && uid(directory) != ROOT) || permits(directory, WRITABLE_BY_OTHERS)) {
            throw new PostgresStartException(
                    "Other users can write to %s, so programs in it cannot be trusted. Set %s to a private directory."
                            .formatted(directory, Binaries.CACHE_VARIABLE));
        }
    }

    /** Writes all of {@code content} or leaves the file unchanged, even after a power failure. */
    static void write(Path file, String content) throws IOException {
        ForcedFiles.replace(file, content.getBytes(StandardCharsets.UTF_8));
    }

    /** Atomic, and durable on return. */
    static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        ForcedFiles.forceDirectory(parent(to));
    }

    /** Deletes a tree that other processes may be deleting or leaving at the same time. */
    static void deleteTree(Path root) throws IOException {
        if (Files.notExists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void createDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = parent(directory);
        createDirectory(parent);
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY_DIRECTORY));
        } catch (FileAlreadyExistsException another) {
            if (!Files.isDirectory(directory)) {
                throw another;
            }
        }
        ForcedFiles.forceDirectory(parent);
    }

    private static Path parent(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        return parent == null ? path : parent;
    }

    private static boolean permits(Path directory, Set<PosixFilePermission> unwanted) throws IOException {
        Set<PosixFilePermission> found = EnumSet.copyOf(unwanted);
        found.retainAll(Files.getPosixFilePermissions(directory));
        return !found.isEmpty();
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> contents = Files.list(directory)) {
            return contents.findAny().isEmpty();
        }
    }

    private static int uid(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }

    private static int ownUid() {
        return (int) new UnixSystem().getUid();
    }

    private PrivateFiles() {}
}
