package dev.tallystick.server;

import dev.tallystick.core.Ids;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The name of a server: an id in a file of its directory, the same after each restart. An operating-system lock protects it,
 * which ends exactly when the process ends, however it ends. So the holder of the lock knows that the previous process of this
 * name is dead.
 */
final class Instance implements AutoCloseable {

    static final String FILE = "instance";

    private static final Logger LOG = LoggerFactory.getLogger(Instance.class);
    private static final Pattern NAME = Pattern.compile("server-[0-9a-f-]{36}");

    /** Closing any channel on a file releases the lock of another channel of the same process: open one at a time. */
    private static final Set<Path> OPENED_HERE = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel;
    private final String name;

    private Instance(Path file, FileChannel channel, String name) {
        this.file = file;
        this.channel = channel;
        this.name = name;
    }

    /**
     * Takes the existing name, or a new one.
     *
     * @return empty if another server is running in the same directory: then this one has no name
     */
    static Optional<Instance> take(Path data, Ids ids) {
        try {
            Path file = data.toRealPath().resolve(FILE);
            Optional<Instance> taken = OPENED_HERE.add(file) ? locked(file, ids) : Optional.empty();
            if (taken.isEmpty()) {
                LOG.info(
                        "another server is up in {}: after a crash, jobs of this one wait for the end of their leases",
                        data);
            }
            return taken;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read or write " + data.resolve(FILE), e);
        }
    }

    // The channel stays open while the lock is held.
    @SuppressWarnings("resource")
    private static Optional<Instance> locked(Path file, Ids ids) throws IOException {
        Instance taken = null;
        FileChannel channel = null;
        try {
            channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            if (channel.tryLock() != null) {
                taken = new Instance(file, channel, nameIn(channel, ids));
            }
            return Optional.ofNullable(taken);
        } finally {
            if (taken == null) {
                if (channel != null) {
                    channel.close();
                }
                OPENED_HERE.remove(file);
            }
        }
    }

    private static String nameIn(FileChannel channel, Ids ids) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(100);
        channel.read(bytes, 0);
        String kept = StandardCharsets.US_ASCII.decode(bytes.flip()).toString().strip();
        if (NAME.matcher(kept).matches()) {
            return kept;
        }
        String name = "server-" + ids.next();
        channel.truncate(0);
        channel.write(StandardCharsets.US_ASCII.encode(name + "\n"), 0);
        channel.force(true);
        return name;
    }

    String name() {
        return name;
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            OPENED_HERE.remove(file);
        }
    }
}
