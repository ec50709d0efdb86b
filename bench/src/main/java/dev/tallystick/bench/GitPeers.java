package dev.tallystick.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.bench.Contender.Round;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What else writes documents into Git. JGit makes a commit for each write, over trees that it keeps in memory and with
 * objects and ref forced; fast-import takes a hundred writes to a commit and makes a checkpoint after each. Neither
 * forces directories, checks heads or signs.
 */
final class GitPeers {

    private static final int SHARDS = 256;
    private static final int WRITES_PER_CHECKPOINT = 100;

    private final Path scratch;
    private final int streams;
    private @Nullable OneCommitEach jgit;

    GitPeers(Path scratch, int streams) {
        this.scratch = scratch;
        this.streams = streams;
    }

    Round jgit() throws IOException {
        OneCommitEach writer = jgit;
        if (writer == null) {
            writer = new OneCommitEach(scratch.resolve("jgit.git"), streams);
            jgit = writer;
        }
        OneCommitEach chosen = writer;
        return LedgerSuite.round(caller -> {
            chosen.write(ThreadLocalRandom.current().nextInt(streams));
            return 1;
        });
    }

    Round fastImport() throws IOException {
        return new FastImport(scratch.resolve("fast-import.git"), streams);
    }

    private static String shard(int stream) {
        return "%02x".formatted((int) (((stream * 2654435761L) >>> 8) & (SHARDS - 1)));
    }

    private static String name(int stream) {
        return "s%06d".formatted(stream);
    }

    private static String body() {
        return "{\"n\":" + ThreadLocalRandom.current().nextInt(1 << 30) + ",\"pad\":\"" + "a".repeat(150) + "\"}";
    }

    /** Keeps the trees in memory and writes what changed. */
    private static final class OneCommitEach {

        private final Repository repository;
        private final Map<String, TreeMap<String, ObjectId>> shards = new TreeMap<>();
        private final Map<String, ObjectId> trees = new TreeMap<>();
        private ObjectId head = ObjectId.zeroId();

        OneCommitEach(Path directory, int streams) throws IOException {
            try (Repository created = FileRepositoryBuilder.create(directory.toFile())) {
                created.create(true);
                StoredConfig config = created.getConfig();
                config.setBoolean("core", null, "fsyncObjectFiles", true);
                config.setBoolean("core", null, "fsyncRefFiles", true);
                config.save();
            }
            repository = FileRepositoryBuilder.create(directory.toFile());
            try (ObjectInserter inserter =
                    ((FileRepository) repository).getObjectDatabase().newPackInserter()) {
                ObjectId empty = inserter.insert(Constants.OBJ_BLOB, "{}".getBytes(US_ASCII));
                for (int i = 0; i < streams; i++) {
                    shards.computeIfAbsent(shard(i), shard -> new TreeMap<>()).put(name(i), empty);
                }
                for (String shard : shards.keySet()) {
                    writeShard(inserter, shard);
                }
                commit(inserter);
            }
        }

        void write(int stream) throws IOException {
            try (ObjectInserter inserter = repository.newObjectInserter()) {
                ObjectId blob = inserter.insert(Constants.OBJ_BLOB, body().getBytes(US_ASCII));
                String shard = shard(stream);
                shards.computeIfAbsent(shard, missing -> new TreeMap<>()).put(name(stream), blob);
                writeShard(inserter, shard);
                commit(inserter);
            }
        }

        private void writeShard(ObjectInserter inserter, String shard) throws IOException {
            TreeFormatter tree = new TreeFormatter();
            shards.getOrDefault(shard, new TreeMap<>())
                    .forEach((name, id) -> tree.append(name, FileMode.REGULAR_FILE, id));
            trees.put(shard, inserter.insert(tree));
        }

        private void commit(ObjectInserter inserter) throws IOException {
            TreeFormatter root = new TreeFormatter();
            trees.forEach((name, id) -> root.append(name, FileMode.TREE, id));
            CommitBuilder commit = new CommitBuilder();
            commit.setTreeId(inserter.insert(root));
            if (!head.equals(ObjectId.zeroId())) {
                commit.setParentId(head);
            }
            PersonIdent who = new PersonIdent("bench", "bench@localhost");
            commit.setAuthor(who);
            commit.setCommitter(who);
            commit.setMessage("write");
            ObjectId id = inserter.insert(commit);
            inserter.flush();
            RefUpdate update = repository.updateRef("refs/heads/main");
            update.setNewObjectId(id);
            update.setExpectedOldObjectId(head);
            update.disableRefLog();
            RefUpdate.Result result = update.forceUpdate();
            if (result == RefUpdate.Result.LOCK_FAILURE || result == RefUpdate.Result.REJECTED) {
                throw new IOException("JGit could not move the ref: " + result);
            }
            head = id;
        }
    }

    /** Feeds a fast-import process; a call is one commit and one checkpoint, and ends when the process says so. */
    private static final class FastImport implements Round {

        private final int streams;
        private final Process process;
        private final OutputStream in;
        private final BufferedReader out;
        private int commits;

        FastImport(Path directory, int streams) throws IOException {
            this.streams = streams;
            Process init = new ProcessBuilder("git", "init", "-q", "--bare", directory.toString()).start();
            init.onExit().join();
            this.process =
                    new ProcessBuilder("git", "-C", directory.toString(), "fast-import", "--quiet", "--force").start();
            this.in = process.getOutputStream();
            this.out = process.inputReader();
        }

        @Override
        public int call(int caller) throws IOException {
            commits++;
            StringBuilder text = new StringBuilder("commit refs/heads/main\n")
                    .append("committer bench <bench@localhost> ")
                    .append(1_700_000_000 + commits)
                    .append(" +0000\ndata 1\nw\n");
            for (int i = 0; i < WRITES_PER_CHECKPOINT; i++) {
                int stream = ThreadLocalRandom.current().nextInt(streams);
                String body = body();
                text.append("M 100644 inline ")
                        .append(shard(stream))
                        .append('/')
                        .append(name(stream))
                        .append('\n');
                text.append("data ")
                        .append(body.length())
                        .append('\n')
                        .append(body)
                        .append('\n');
            }
            text.append("checkpoint\nprogress ").append(commits).append('\n');
            in.write(text.toString().getBytes(US_ASCII));
            in.flush();
            if (!("progress " + commits).equals(out.readLine())) {
                throw new IOException("git fast-import did not finish a checkpoint");
            }
            return WRITES_PER_CHECKPOINT;
        }

        @Override
        public void close() {
            try {
                in.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                process.onExit().join();
            }
        }
    }
}
