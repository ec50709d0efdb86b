package dev.tallystick.ledger.git;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All objects of the repository. Every object returned was hashed and matches its ID. Follows neither alternates nor replace
 * refs. Thread-safe: packs may come and go (consolidation here, {@code git gc} elsewhere) while others read.
 */
public final class ObjectStore implements AutoCloseable {

    static final long CACHE_BYTES = 128L << 20;

    /** How often packs may be replaced during one lookup before we give up. */
    private static final int MOST_LOOKS = 10;

    private final PackDirectory directory;
    private final LooseObjects loose;
    private final Cache cache = new Cache();
    private volatile List<Pack> packs = List.of();

    public ObjectStore(Path objects) throws IOException {
        this.directory = new PackDirectory(objects);
        this.loose = new LooseObjects(objects);
        rescan();
    }

    /** The object, or {@link DamagedObjectException} if it is missing or does not match its ID. */
    public GitObject read(Oid id) throws IOException {
        Optional<GitObject> cached = cache.find(id);
        if (cached.isPresent()) {
            return cached.get();
        }
        GitObject object = find(id).orElseThrow(() -> new DamagedObjectException("object " + id + " is missing"));
        Oid actual = object.id();
        if (!actual.equals(id)) {
            throw new DamagedObjectException("object " + id + " is damaged: its content has the ID " + actual);
        }
        cache.add(id, object);
        return object;
    }

    public byte[] read(Oid id, ObjectType type) throws IOException {
        GitObject object = read(id);
        if (object.type() != type) {
            throw new DamagedObjectException("object " + id + " is a " + object.type() + ", not a " + type);
        }
        return object.content();
    }

    /** Makes the objects of a pack that {@code builder} wrote readable, even if it has been joined with others since. */
    public void adopt(String name, PackBuilder builder) throws IOException {
        cache.addAll(builder.objects());
        adopt(name);
    }

    /** Replaces {@code parts} with the pack {@code joined}, which is on disk, and removes them. */
    public synchronized void replace(List<Pack> parts, String joined) throws IOException {
        adopt(joined);
        List<Pack> rest = new ArrayList<>(packs);
        rest.removeIf(pack -> parts.contains(pack) && !pack.name().equals(joined));
        packs = List.copyOf(rest);
        for (Pack part : parts) {
            if (!part.name().equals(joined)) {
                directory.remove(part.name());
                part.close();
            }
        }
    }

    public List<Pack> packs() {
        return packs;
    }

    public PackDirectory directory() {
        return directory;
    }

    /** Rereads the directory: opens new packs, closes removed ones. */
    public synchronized void rescan() throws IOException {
        boolean whole = false;
        for (int look = 1; look <= MOST_LOOKS && !whole; look++) {
            whole = scan();
        }
    }

    /** False if a pack was gone before it could be opened: its objects are in another pack, which the next look finds. */
    private boolean scan() throws IOException {
        boolean whole = true;
        Set<String> names = new HashSet<>(directory.names());
        List<Pack> next = new ArrayList<>();
        for (Pack pack : packs) {
            if (names.remove(pack.name())) {
                next.add(pack);
            } else {
                pack.close();
            }
        }
        for (String name : names) {
            try {
                next.addFirst(directory.open(name));
            } catch (NoSuchFileException e) {
                whole = false;
            }
        }
        packs = List.copyOf(next);
        return whole;
    }

    @Override
    public synchronized void close() throws IOException {
        for (Pack pack : packs) {
            pack.close();
        }
        packs = List.of();
    }

    /** Packs may be replaced during the lookup: an object is missing only if nothing changed meanwhile. */
    private Optional<GitObject> find(Oid id) throws IOException {
        boolean moving = true;
        for (int look = 1; moving; look++) {
            boolean lost = false;
            List<Pack> seen = packs;
            try {
                Optional<GitObject> packed = findPacked(id, seen);
                Optional<GitObject> found = packed.isPresent() ? packed : loose.read(id);
                if (found.isPresent()) {
                    return found;
                }
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (ClosedChannelException | NoSuchFileException e) {
                if (look >= MOST_LOOKS) {
                    throw e;
                }
                lost = true;
            }
            rescan();
            moving = look < MOST_LOOKS && (lost || !packs.equals(seen));
        }
        return Optional.empty();
    }

    private Optional<GitObject> findPacked(Oid id, List<Pack> looked) throws IOException {
        for (Pack pack : looked) {
            long offset = pack.find(id);
            if (offset >= 0) {
                return Optional.of(pack.read(offset, this));
            }
        }
        return Optional.empty();
    }

    private synchronized void adopt(String name) throws IOException {
        if (packs.stream().anyMatch(known -> known.name().equals(name))) {
            return;
        }
        try {
            List<Pack> next = new ArrayList<>(packs.size() + 1);
            next.add(directory.open(name));
            next.addAll(packs);
            packs = List.copyOf(next);
        } catch (NoSuchFileException e) {
            rescan();
        }
    }

    /** The most recently used objects, up to a number of bytes. Objects never change, so entries never get stale. */
    private static final class Cache {
        private static final int OVERHEAD = 150;
        private final LinkedHashMap<Oid, GitObject> objects = new LinkedHashMap<>(1024, 0.75f, true);
        private long bytes;

        synchronized Optional<GitObject> find(Oid id) {
            return Optional.ofNullable(objects.get(id));
        }

        synchronized void addAll(Map<Oid, GitObject> added) {
            added.forEach(this::add);
        }

        synchronized void add(Oid id, GitObject object) {
            if (object.content().length > CACHE_BYTES / 16 || objects.putIfAbsent(id, object) != null) {
                return;
            }
            bytes += object.content().length + OVERHEAD;
            var eldest = objects.entrySet().iterator();
            while (bytes > CACHE_BYTES && eldest.hasNext()) {
                Map.Entry<Oid, GitObject> evicted = eldest.next();
                bytes -= evicted.getValue().content().length + OVERHEAD;
                eldest.remove();
            }
        }
    }
}
