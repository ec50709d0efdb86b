package dev.tallystick.log.map;

import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The key map in a file. A batch appends the nodes that it changes, so that its cost grows with the logarithm of the map, and
 * older versions stay readable. One thread writes; any number may read.
 */
public final class KeyMap implements AutoCloseable {

    /** More slots than this for each leaf, four times what it needs, and the file is written again without the old nodes. */
    private static final long SLOTS_PER_LEAF = 8;

    private static final long SMALLEST_TO_COMPACT = 2_048;

    private final FileChannel channel;
    private final NodeFile file;
    private volatile MapVersion version;
    private long nextSlot;

    private KeyMap(FileChannel channel, MapVersion version, long nextSlot) {
        this.channel = channel;
        this.file = new NodeFile(channel);
        this.version = version;
        this.nextSlot = nextSlot;
    }

    /** An empty map in a new file, in the place of any other. */
    public static KeyMap create(Path path) throws IOException {
        Files.deleteIfExists(path);
        FileChannel channel = FileChannel.open(
                path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        KeyMap map = new KeyMap(channel, MapVersion.EMPTY, 1);
        map.file.writeHeader();
        return map;
    }

    /** The map as it was at this size of the log, if the file has it intact with this root. What follows is cut off. */
    public static Optional<KeyMap> open(Path path, long logSize, Hash root, long count) throws IOException {
        if (!Files.isRegularFile(path)) {
            return Optional.empty();
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            NodeFile file = new NodeFile(channel);
            NodeFile.Found found = file.find(logSize);
            if (found != null
                    && found.version().root().equals(root)
                    && found.version().count() == count) {
                file.truncate(found.nextSlot());
                return Optional.of(new KeyMap(channel, found.version(), found.nextSlot()));
            }
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return Optional.empty();
    }

    public MapVersion version() {
        return version;
    }

    /**
     * Works out the map with more leaves, and writes nothing.
     *
     * @param logSize the size of the log with the head of this batch
     * @throws DuplicateTagException if a tag is already there
     */
    public Insertion insertion(long logSize, List<MapLeaf> leaves) throws IOException {
        return new Insertion(file, version, nextSlot, logSize, leaves);
    }

    /** Appends what was worked out, and forces it. */
    public void append(Insertion insertion) throws IOException {
        if (!insertion.before().equals(version) || insertion.firstSlot() != nextSlot) {
            throw new IllegalStateException("this insertion was worked out for another version of the map");
        }
        nextSlot = file.append(insertion.firstSlot(), insertion.nodes(), insertion.after());
        version = insertion.after();
    }

    /** What stands where the tag belongs, now. */
    public MapProof prove(Hash tag) throws IOException {
        return prove(tag, version);
    }

    public MapProof prove(Hash tag, MapVersion at) throws IOException {
        List<Hash> siblings = new ArrayList<>();
        NodeRef node = at.top();
        while (!node.isAbsent() && !node.isLeaf()) {
            NodeFile.Inner inner = file.inner(node);
            boolean right = tag.bit(siblings.size());
            siblings.add(right ? inner.left().hash() : inner.right().hash());
            node = right ? inner.right() : inner.left();
        }
        return new MapProof(siblings, node.isAbsent() ? null : file.leaf(node));
    }

    /** Whether most of the file is nodes that no one needs. */
    public boolean wantsCompaction() {
        return nextSlot > SMALLEST_TO_COMPACT && nextSlot > SLOTS_PER_LEAF * version.count();
    }

    /** Copies the nodes of this version into a new file. */
    public KeyMap compactInto(Path path) throws IOException {
        KeyMap copy = create(path);
        try {
            copy.take(this);
            return copy;
        } catch (IOException | RuntimeException e) {
            copy.close();
            throw e;
        }
    }

    private void take(KeyMap other) throws IOException {
        MapVersion from = other.version;
        NodeCopy nodes = new NodeCopy(other.file, channel, nextSlot);
        NodeRef top = nodes.copy(from.top());
        long footer = nodes.finish();
        MapVersion same = new MapVersion(from.logSize(), from.root(), from.count(), top);
        nextSlot = file.append(footer, new byte[0], same);
        version = same;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
