package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.DamagedAnchorException;
import dev.tallystick.ledger.FileAnchor;
import dev.tallystick.ledger.Mutation;
import dev.tallystick.ledger.history.Commit;
import dev.tallystick.ledger.history.KeyRing;
import dev.tallystick.ledger.history.Reachable;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.verifier.FuzzedReaders;
import dev.tallystick.ledger.verifier.FuzzedReaders.Refused;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Reads mutated files of every format with the verifier's and the writer's readers. What they throw must be their own word
 * for damage. Runs in a process of its own, with little memory.
 */
public final class FormatFuzzing {

    private static final int HASH = 20;

    /** Reads one input. */
    private interface Target {
        void read(byte[] bytes, Random random) throws IOException, Refused;
    }

    private record Format(String name, List<byte[]> good, Target target) {}

    private final Path scratch;
    private final List<Format> formats = new ArrayList<>();

    private FormatFuzzing(Path scratch) {
        this.scratch = scratch;
    }

    /** Arguments: the repository to begin with, its root key, a private key, a receipt, an anchor; the first seed; how many. */
    public static void main(String[] arguments) throws IOException {
        Path repository = Path.of(arguments[0]);
        FormatFuzzing fuzzing = new FormatFuzzing(repository.resolveSibling("fuzz"));
        Files.createDirectories(fuzzing.scratch.resolve("objects/pack"));
        fuzzing.objects(repository, arguments[1]);
        fuzzing.files(arguments[1], arguments[2], arguments[3], arguments[4]);
        fuzzing.packs(repository);
        long first = Long.parseLong(arguments[5]);
        long count = Long.parseLong(arguments[6]);
        int failures = 0;
        for (long seed = first; seed < first + count && failures < 10; seed++) {
            failures += fuzzing.run(seed) ? 0 : 1;
            if ((seed - first) % 10_000 == 0) {
                System.out.println("at seed " + seed);
            }
        }
        System.out.println("fuzzed " + count + ", " + failures + " failures");
    }

    private boolean run(long seed) {
        Random random = new Random(seed);
        Format format = formats.get(random.nextInt(formats.size()));
        try {
            format.target.read(Mutation.of(format.good, random), random);
        } catch (DamagedObjectException | DamagedAnchorException | Refused e) {
            return true;
        } catch (Exception | StackOverflowError | OutOfMemoryError e) {
            List<StackTraceElement> frames = List.of(e.getStackTrace());
            System.out.println("failure: seed " + seed + ", " + format.name + ": " + e + " at "
                    + frames.subList(0, Math.min(8, frames.size())));
            return false;
        }
        return true;
    }

    private void objects(Path repository, String rootKey) throws IOException {
        List<byte[]> commits = new ArrayList<>();
        List<byte[]> trees = new ArrayList<>();
        List<byte[]> blobs = new ArrayList<>();
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"))) {
            Oid tip = Ref.main(repository, dev.tallystick.core.CrashPoints.NONE)
                    .read()
                    .orElseThrow();
            for (Oid id : Reachable.from(store, List.of(tip))) {
                GitObject object = store.read(id);
                switch (object.type()) {
                    case COMMIT -> commits.add(object.content());
                    case TREE -> trees.add(object.content());
                    case BLOB, TAG -> blobs.add(object.content());
                }
            }
        }
        formats.add(new Format("commit, verifier", commits, (bytes, random) -> FuzzedReaders.commit(bytes, rootKey)));
        formats.add(new Format("commit, writer", commits, (bytes, random) -> {
            Commit commit = Commit.parse(bytes);
            commit.root();
            commit.isSignedBy(new PublicKey(rootKey));
        }));
        formats.add(new Format(
                "tree, verifier",
                trees,
                (bytes, random) -> FuzzedReaders.tree(bytes, trees.get(random.nextInt(trees.size())))));
        formats.add(new Format("tree, writer", trees, (bytes, random) -> {
            Tree tree = new Tree(bytes);
            for (Tree.Entry entry : tree.entries()) {
                tree.find(entry.name());
            }
            tree.put(Tree.FILE, "x", Tree.EMPTY);
            tree.remove("HEAD");
        }));
        formats.add(new Format("transaction, verifier", blobs, (bytes, random) -> FuzzedReaders.transaction(bytes)));
        formats.add(new Format("transaction, writer", blobs, (bytes, random) -> Tx.parse(bytes)));
        formats.add(new Format("key, verifier", blobs, (bytes, random) -> FuzzedReaders.keyFile(bytes)));
        formats.add(new Format("key, writer", blobs, (bytes, random) -> {
            KeyRing.checked(List.of(KeyRing.Entry.parse(bytes)));
        }));
    }

    private void files(String rootKey, String privateKey, String receipt, String anchor) {
        formats.add(new Format(
                "receipt", List.of(receipt.getBytes(UTF_8)), (bytes, random) -> FuzzedReaders.receipt(bytes, rootKey)));
        formats.add(new Format("private key", List.of(privateKey.getBytes(UTF_8)), (bytes, random) -> {
            try {
                SigningKey.parse(new String(bytes, UTF_8));
            } catch (IllegalArgumentException e) {
                // Its own word for a file that is no key.
            }
        }));
        Path file = scratch.resolve("anchor");
        formats.add(new Format("anchor", List.of(anchor.getBytes(UTF_8)), (bytes, random) -> {
            Files.write(file, bytes);
            new FileAnchor(file).read();
        }));
    }

    private void packs(Path repository) throws IOException {
        List<byte[]> packs = new ArrayList<>();
        List<byte[]> indexes = new ArrayList<>();
        List<byte[]> loose = new ArrayList<>();
        try (Stream<Path> files = Files.walk(repository.resolve("objects"))) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                if (file.toString().endsWith(".pack")) {
                    packs.add(Files.readAllBytes(file));
                    indexes.add(Files.readAllBytes(
                            file.resolveSibling(file.getFileName().toString().replace(".pack", ".idx"))));
                } else if (file.toString().matches(".*/objects/../.{38}")) {
                    loose.add(Files.readAllBytes(file));
                }
            }
        }
        formats.add(new Format("pack", packs, (bytes, random) -> {
            int number = random.nextInt(packs.size());
            pack(checksummed(bytes, 0, random), indexes.get(number), random);
        }));
        formats.add(new Format("pack of its index", packs, (bytes, random) -> {
            int number = random.nextInt(packs.size());
            byte[] mutated = checksummed(Mutation.of(List.of(packs.get(number)), random), 0, random);
            pack(mutated, indexes.get(number), random);
        }));
        formats.add(new Format("index", indexes, (bytes, random) -> {
            int number = random.nextInt(indexes.size());
            byte[] mutated = checksummed(Mutation.of(List.of(indexes.get(number)), random), 0, random);
            pack(packs.get(number), mutated, random);
        }));
        Path directory = scratch.resolve("objects/ab");
        Files.createDirectories(directory);
        Oid id = Oid.parse("ab".repeat(HASH));
        Path file = directory.resolve(id.toString().substring(2));
        formats.add(new Format("loose object", loose, (bytes, random) -> {
            Files.write(file, bytes);
            try (ObjectStore store = new ObjectStore(scratch.resolve("objects"))) {
                FuzzedReaders.looseObject(file, id.toString());
                store.read(id);
            } finally {
                Files.delete(file);
            }
        }));
    }

    /** With the right checksum at its end, as often as not, so that the rest is looked at too. */
    private static byte[] checksummed(byte[] bytes, int before, Random random) {
        if (bytes.length > HASH + before && random.nextBoolean()) {
            var sha1 = Digests.sha1();
            sha1.update(bytes, 0, bytes.length - HASH);
            System.arraycopy(sha1.digest(), 0, bytes, bytes.length - HASH, HASH);
        }
        return bytes;
    }

    private void pack(byte[] pack, byte[] index, Random random) throws IOException, Refused {
        Path file = scratch.resolve("objects/pack/pack-1.pack");
        Path idx = scratch.resolve("objects/pack/pack-1.idx");
        byte[] fitting = index.clone();
        if (random.nextBoolean() && pack.length > HASH && fitting.length > 2 * HASH) {
            System.arraycopy(pack, pack.length - HASH, fitting, fitting.length - 2 * HASH, HASH);
            var sha1 = Digests.sha1();
            sha1.update(fitting, 0, fitting.length - HASH);
            System.arraycopy(sha1.digest(), 0, fitting, fitting.length - HASH, HASH);
        }
        Files.write(file, pack);
        Files.write(idx, fitting);
        List<Oid> ids = ids(fitting);
        try (ObjectStore store = new ObjectStore(scratch.resolve("objects"))) {
            for (Oid id : ids) {
                try {
                    store.read(id);
                } catch (DamagedObjectException e) {
                    // The next one may be whole.
                }
            }
        } catch (DamagedObjectException e) {
            // The index is none.
        } finally {
            try {
                FuzzedReaders.pack(file, ids.stream().map(Oid::toString).toList());
            } finally {
                Files.delete(file);
                Files.delete(idx);
            }
        }
    }

    /** Some of the names in an index, or what stands in their place. */
    private static List<Oid> ids(byte[] index) {
        List<Oid> ids = new ArrayList<>();
        for (int at = PackIndex.NAMES_AT; at + HASH <= index.length && ids.size() < 20; at += HASH) {
            byte[] id = new byte[HASH];
            ByteBuffer.wrap(index).get(at, id);
            ids.add(Oid.parse(java.util.HexFormat.of().formatHex(id)));
        }
        return ids;
    }
}
