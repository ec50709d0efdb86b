package dev.tallystick.ledger.write;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.ledger.git.AllRefs;
import dev.tallystick.ledger.git.GitObject;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Pack;
import dev.tallystick.ledger.git.PackBuilder;
import dev.tallystick.ledger.git.PackDirectory;
import dev.tallystick.ledger.git.PackStream;
import dev.tallystick.ledger.git.Ref;
import dev.tallystick.ledger.git.Repository;
import dev.tallystick.ledger.history.Reachable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.Deflater;

/**
 * Writes everything reachable from any ref into one pack and removes files that become redundant. Hashes each object on the
 * way. Writers continue meanwhile: a file is removed only if the new pack has everything in it, or if it is older than the
 * grace period, so that no object that is about to be referenced disappears.
 */
public final class Housekeeping {

    /** How long {@code git gc} waits before it drops an unreachable object. */
    static final Duration GRACE = Duration.ofDays(14);

    private static final int COMPRESSION = 6;

    private final Repository repository;
    private final ObjectStore store;

    public Housekeeping(Repository repository, ObjectStore store) {
        this.repository = repository;
        this.store = store;
    }

    /** The caller holds the join lock. Returns the number of objects. */
    public int collect(Instant now, Progress progress) throws IOException {
        store.rescan();
        List<Pack> before = store.packs();
        Map<Oid, Path> loose = looseFiles();
        List<Oid> objects = Reachable.from(store, AllRefs.read(repository.directory()));
        String kept = write(objects, progress);
        Set<Oid> safe = new HashSet<>(objects);
        List<Pack> superfluous = new ArrayList<>();
        for (Pack pack : before) {
            Path file = repository.objects().resolve("pack").resolve(pack.name() + ".pack");
            boolean droppable = !store.directory().isKept(pack.name()) && Files.exists(file);
            if (droppable && (isOld(file, now) || holdsOnly(pack, safe))) {
                superfluous.add(pack);
            }
        }
        store.replace(superfluous, kept);
        for (Map.Entry<Oid, Path> object : loose.entrySet()) {
            Path file = object.getValue();
            if (Files.exists(file) && (safe.contains(object.getKey()) || isOld(file, now))) {
                Files.delete(file);
            }
        }
        store.directory().removeAbandoned(now.minus(GRACE));
        return objects.size();
    }

    /** Writes a bundle of {@code main}: one file that {@code git clone} accepts as a repository. */
    public void bundle(Oid main, Path target) throws IOException {
        List<Oid> objects = Reachable.from(store, List.of(main));
        try (FileChannel out = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            String header = "# v2 git bundle\n" + main + " " + Ref.MAIN + "\n\n";
            ForcedFiles.writeFully(out, ByteBuffer.wrap(header.getBytes(US_ASCII)));
            fill(new PackStream(out, objects.size()), objects, Progress.UNSEEN);
        }
    }

    private String write(List<Oid> objects, Progress progress) throws IOException {
        Path directory = repository.objects().resolve("pack");
        Path temporary = Files.createTempFile(directory, PackDirectory.UNFINISHED_JOIN, "");
        try (FileChannel out = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            PackStream stream = new PackStream(out, objects.size());
            byte[] checksum = fill(stream, objects, progress);
            return store.directory().adopt(temporary, stream.index().bytes(checksum), Oid.at(checksum, 0));
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private byte[] fill(PackStream stream, List<Oid> objects, Progress progress) throws IOException {
        Deflater deflater = new Deflater(COMPRESSION);
        long written = 0;
        try {
            for (Oid id : objects) {
                progress.report("objects", ++written, objects.size());
                GitObject object = store.read(id);
                stream.append(id, PackBuilder.entry(deflater, object.type(), object.content()));
            }
            return stream.finish();
        } finally {
            deflater.end();
        }
    }

    private static boolean holdsOnly(Pack pack, Set<Oid> safe) throws IOException {
        for (int i = 0; i < pack.count(); i++) {
            if (!safe.contains(pack.idAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isOld(Path file, Instant now) throws IOException {
        return Files.getLastModifiedTime(file).toInstant().isBefore(now.minus(GRACE));
    }

    private Map<Oid, Path> looseFiles() throws IOException {
        Map<Oid, Path> files = new HashMap<>();
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(repository.objects(), "[0-9a-f][0-9a-f]")) {
            for (Path directory : directories) {
                try (DirectoryStream<Path> inside = Files.newDirectoryStream(directory)) {
                    for (Path file : inside) {
                        String id = directory.getFileName().toString() + file.getFileName();
                        if (Oid.isHex(id)) {
                            files.put(Oid.parse(id), file);
                        }
                    }
                }
            }
        }
        return files;
    }
}
