package dev.tallystick.ledger.verifier;

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

/** Reads every byte of every object file, with all processors. */
final class Audit {

    private static final int RANGE = 8 << 20;
    private static final int WINDOW = 256 << 10;
    private static final int REPORT_MILLIS = 100;

    private final Findings findings;
    private final Watcher watcher;
    private final LongAdder seen = new LongAdder();
    private long total;

    Audit(Findings findings, Watcher watcher) {
        this.findings = findings;
        this.watcher = watcher;
    }

    /** Returns the number of objects. Any difference between a pack and what its index says is a finding. */
    long audit(List<PackFile> packs, Path objects) throws IOException {
        total = packs.stream().mapToLong(PackFile::count).sum();
        watcher.report("objects", 0, total);
        long count = 0;
        try (ExecutorService workers = Workers.start()) {
            for (PackFile pack : packs) {
                try {
                    count += audit(pack, workers);
                } catch (Unsound e) {
                    findings.add(Finding.Kind.OBJECT, pack.name() + ".pack", e.detail());
                }
            }
        }
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(objects, "[0-9a-f][0-9a-f]")) {
            for (Path directory : directories) {
                count += auditLoose(directory);
            }
        }
        return count;
    }

    private int audit(PackFile pack, ExecutorService workers) throws IOException, Unsound {
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

    private int await(Future<Integer> part) throws IOException, Unsound {
        while (true) {
            try {
                int count = part.get(REPORT_MILLIS, TimeUnit.MILLISECONDS);
                watcher.report("objects", seen.sum(), total);
                return count;
            } catch (TimeoutException e) {
                watcher.report("objects", seen.sum(), total);
            } catch (ExecutionException e) {
                switch (e.getCause()) {
                    case Unsound unsound -> throw unsound;
                    case IOException io -> throw io;
                    case null, default -> throw new IllegalStateException(e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("the verification was interrupted", e);
            }
        }
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
