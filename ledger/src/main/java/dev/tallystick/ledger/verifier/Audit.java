package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.git.Hashes;
import dev.tallystick.ledger.verifier.git.LooseObject;
import dev.tallystick.ledger.verifier.git.PackFile;
import dev.tallystick.ledger.verifier.git.PackWindow;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/** Reads every byte of every object file, with all processors, while the history is followed. */
final class Audit implements AutoCloseable {

    private static final int RANGE = 8 << 20;
    private static final int WINDOW = 256 << 10;
    private static final int REPORT_MILLIS = 100;

    private final List<PackFile> packs;
    private final long total;
    private final Watcher watcher;
    private final Findings findings = new Findings();
    private final LongAdder seen = new LongAdder();
    private final ExecutorService workers = Workers.start();
    private final ExecutorService leader = Workers.startOne();
    private final Future<Long> count;

    private Audit(List<PackFile> packs, List<Path> directories, Watcher watcher) {
        this.packs = List.copyOf(packs);
        this.total = packs.stream().mapToLong(PackFile::count).sum();
        this.watcher = watcher;
        this.count = leader.submit(() -> run(directories));
    }

    static Audit ofNothing() {
        return new Audit(List.of(), List.of(), Watcher.NONE);
    }

    /** @param watcher told by the thread that begins this and waits for its end */
    static Audit start(List<PackFile> packs, Path objects, Watcher watcher) throws IOException {
        List<Path> directories = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(objects, "[0-9a-f][0-9a-f]")) {
            found.forEach(directories::add);
        }
        Audit audit = new Audit(packs, directories, watcher);
        watcher.report("objects", 0, audit.total);
        return audit;
    }

    /** Waits for the end; returns the number of objects. */
    long await() throws IOException {
        while (true) {
            try {
                long objects = count.get(REPORT_MILLIS, TimeUnit.MILLISECONDS);
                report();
                return objects;
            } catch (TimeoutException e) {
                report();
            } catch (ExecutionException e) {
                switch (e.getCause()) {
                    case IOException io -> throw io;
                    case null, default -> throw new IllegalStateException(e);
                }
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
    }

    /** What is wrong, once it has ended: any difference between a pack and what its index says. */
    List<Finding> findings() {
        return findings.list();
    }

    @Override
    public void close() {
        leader.shutdownNow();
        workers.shutdownNow();
    }

    private void report() {
        watcher.report("objects", seen.sum(), total);
    }

    private long run(List<Path> directories) throws IOException {
        long objects = 0;
        for (PackFile pack : packs) {
            try {
                objects += audit(pack);
            } catch (Unsound e) {
                findings.add(Finding.Kind.OBJECT, pack.name() + ".pack", e.detail());
            } catch (RuntimeException | InternalError e) {
                findings.add(Finding.Kind.OBJECT, pack.name() + ".pack", "it cannot be read: " + e);
            }
        }
        for (Path directory : directories) {
            objects += auditLoose(directory);
        }
        return objects;
    }

    private int audit(PackFile pack) throws IOException, Unsound {
        List<Future<Integer>> parts = new ArrayList<>();
        parts.add(workers.submit(bounded(() -> {
            pack.auditFrame();
            return 0;
        })));
        for (PackFile.Range range : pack.ranges(RANGE)) {
            parts.add(workers.submit(bounded(() -> {
                try (PackWindow window = new PackWindow(WINDOW)) {
                    return pack.audit(range, window, seen);
                }
            })));
        }
        int count = 0;
        for (Future<Integer> part : parts) {
            count += await(part);
        }
        if (count != pack.count()) {
            throw new Unsound("the pack holds " + count + " objects and its index " + pack.count());
        }
        return count;
    }

    /** An object that does not fit into memory, or an index that cannot be read from its disk, ends no verification. */
    private static Callable<Integer> bounded(Callable<Integer> part) {
        return () -> {
            try {
                return part.call();
            } catch (RuntimeException | OutOfMemoryError | InternalError e) {
                throw new Unsound("it cannot be read: " + e);
            }
        };
    }

    private static int await(Future<Integer> part) throws IOException, Unsound {
        try {
            return part.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Unsound unsound -> throw unsound;
                case IOException io -> throw io;
                case null, default -> throw new IllegalStateException(e);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("the verification was interrupted", e);
    }

    private int auditLoose(Path directory) throws IOException {
        int count = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String id = directory.getFileName().toString() + file.getFileName();
                if (!Hashes.isHex(id, 40)) {
                    continue; // a temporary file of native git
                }
                try {
                    LooseObject.audit(file, id);
                } catch (Unsound e) {
                    findings.add(Finding.Kind.OBJECT, id, e.detail());
                }
                count++;
            }
        }
        return count;
    }
}
