package dev.tallystick.ledger.git;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ProcessLock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Every batch leaves a pack; this thread joins packs of similar size, so that their number grows with the logarithm of the
 * ledger and each object is copied only a few times. Entries are copied unchanged. A pack is removed only after its replacement
 * is on disk, so readers and writers continue meanwhile; a reader that had it open looks again.
 */
public final class PackJoiner implements AutoCloseable {

    /** This many packs of similar size become one. */
    static final int FAN_IN = 64;

    /** Writers wait for this thread when there are more packs than this. */
    static final int MOST_PACKS = 400;

    private static final long SMALLEST_TIER = 256 << 10;
    private static final int TIER_FACTOR = 16;
    private static final long LARGEST_RESULT = 1L << 30;

    private final ObjectStore store;
    private final Path directory;
    private final ProcessLock lock;
    private final CrashPoints crashPoints;
    private final Thread thread;
    private final Set<String> unjoinable = new HashSet<>();
    private final ReentrantLock monitor = new ReentrantLock();
    private final Condition changed = monitor.newCondition();
    private boolean asked;
    private boolean closed;
    private @Nullable Exception failure;

    public PackJoiner(ObjectStore store, Path objects, ProcessLock lock, CrashPoints crashPoints) {
        this.store = store;
        this.directory = objects.resolve("pack");
        this.lock = lock;
        this.crashPoints = crashPoints;
        this.thread = Thread.ofPlatform().name("ledger-joiner").daemon().start(this::run);
    }

    /** Called before each batch. Waits only if packs have piled up, and refuses if they cannot be joined. */
    public void awaitRoom() throws IOException {
        if (store.packs().size() < FAN_IN) {
            return;
        }
        monitor.lock();
        try {
            asked = true;
            changed.signalAll();
            while (store.packs().size() > MOST_PACKS && asked && !closed) {
                changed.awaitUninterruptibly();
            }
            if (store.packs().size() > MOST_PACKS && failure != null) {
                throw new IOException(
                        "packs are piling up because they cannot be joined: " + failure.getMessage(), failure);
            }
        } finally {
            monitor.unlock();
        }
    }

    /** Finishes the current join, then stops. */
    @Override
    public void close() {
        monitor.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            monitor.unlock();
        }
        Threads.join(thread);
    }

    private void run() {
        while (awaitAsked()) {
            Exception failed = null;
            try {
                // Another process that joins packs does our work as well.
                lock.holdingIfFree(() -> {
                    joinAll();
                    return true;
                });
                store.rescan();
            } catch (IOException | RuntimeException e) {
                failed = e;
            }
            done(failed);
        }
    }

    private boolean awaitAsked() {
        monitor.lock();
        try {
            while (!asked && !closed) {
                changed.awaitUninterruptibly();
            }
            return !closed;
        } finally {
            monitor.unlock();
        }
    }

    private void done(@Nullable Exception failed) {
        monitor.lock();
        try {
            failure = failed;
            asked = false;
            changed.signalAll();
        } finally {
            monitor.unlock();
        }
    }

    private void joinAll() throws IOException {
        store.rescan();
        Optional<List<Pack>> group = nextGroup();
        while (group.isPresent()) {
            join(group.get());
            group = nextGroup();
        }
    }

    private Optional<List<Pack>> nextGroup() throws IOException {
        TreeMap<Integer, List<Pack>> tiers = new TreeMap<>();
        for (Pack pack : store.packs()) {
            if (!unjoinable.contains(pack.name()) && !store.directory().isKept(pack.name())) {
                tiers.computeIfAbsent(tier(pack.bytes()), tier -> new ArrayList<>())
                        .add(pack);
            }
        }
        for (List<Pack> tier : tiers.values()) {
            List<Pack> group = new ArrayList<>();
            long bytes = 0;
            for (Pack pack : tier) {
                bytes += pack.bytes();
                if (bytes <= LARGEST_RESULT) {
                    group.add(pack);
                }
            }
            if (group.size() >= FAN_IN) {
                return Optional.of(group);
            }
        }
        return Optional.empty();
    }

    private static int tier(long bytes) {
        int tier = 0;
        for (long limit = SMALLEST_TIER; bytes > limit; limit *= TIER_FACTOR) {
            tier++;
        }
        return tier;
    }

    private void join(List<Pack> group) throws IOException {
        Path temporary = Files.createTempFile(directory, PackDirectory.UNFINISHED_JOIN, "");
        try (FileChannel out = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            PackStream stream = new PackStream(out, count(group));
            if (!copy(group, stream)) {
                return;
            }
            byte[] checksum = stream.finish();
            String joined = store.directory().adopt(temporary, stream.index().bytes(checksum), Oid.at(checksum, 0));
            crashPoints.reached(LedgerCrashPoint.PACKS_JOINED);
            store.replace(group, joined);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static int count(List<Pack> group) throws IOException {
        Set<Oid> ids = new HashSet<>();
        for (Pack pack : group) {
            for (int i = 0; i < pack.count(); i++) {
                ids.add(pack.idAt(i));
            }
        }
        return ids.size();
    }

    /** Copies each object once; stops and returns false at a pack with deltas, which cannot be copied alone. */
    private boolean copy(List<Pack> group, PackStream stream) throws IOException {
        Set<Oid> copied = new HashSet<>();
        for (Pack pack : group) {
            for (Pack.RawEntry entry : pack.rawEntries()) {
                if (!copied.add(entry.id())) {
                    continue;
                }
                byte[] raw = pack.raw(entry);
                if (Pack.isDelta(raw)) {
                    unjoinable.add(pack.name());
                    return false;
                }
                CRC32 crc = new CRC32();
                crc.update(raw);
                if ((int) crc.getValue() != entry.crc()) {
                    throw new DamagedObjectException(pack.name() + " is damaged at " + entry.offset());
                }
                stream.append(entry.id(), raw);
            }
        }
        return true;
    }
}
