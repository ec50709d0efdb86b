package dev.tallystick.bench;

import dev.tallystick.bench.Contender.Round;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import javax.sql.DataSource;

/**
 * The ledger, with everything forced to disk, against one JGit commit for each write and against {@code git fast-import};
 * and against itself as it grows: more streams, a longer stream.
 */
final class LedgerSuite implements Suite {

    private static final int STREAMS = 10_000;
    private static final int MANY_STREAMS = 100_000;
    private static final int LONG_STREAM = 10_000;
    private static final int BATCH = 1_000;
    private static final int WRITERS = 64;

    @Override
    public List<Contender> contenders(DataSource unused) throws Exception {
        Path scratch = Scratch.directory();
        Books books = Books.prepared(scratch.resolve("books.git"), STREAMS, 1);
        Books small = Books.prepared(scratch.resolve("small.git"), 1, 1);
        Books large = Books.prepared(scratch.resolve("large.git"), MANY_STREAMS, 1);
        Books deep = Books.prepared(scratch.resolve("deep.git"), 1, LONG_STREAM);
        GitPeers peers = new GitPeers(scratch, STREAMS);
        return List.of(
                new Contender("jgit.commit.c1", 1, callers -> peers.jgit()),
                new Contender("fast-import.100", 1, callers -> peers.fastImport()),
                new Contender("ledger.c1", 1, books::writers).against("jgit.commit.c1"),
                new Contender("ledger.c64", WRITERS, books::writers).against("jgit.commit.c1"),
                new Contender("ledger.batch1000", 1, callers -> books.batches()).against("fast-import.100"),
                new Contender("ledger.small.c1", 1, small::writers),
                new Contender("ledger.100k-streams.c1", 1, large::writers).against("ledger.small.c1"),
                new Contender("ledger.10k-versions.c1", 1, deep::writers).against("ledger.small.c1"),
                new Contender("ledger.get-hot.c1", 1, callers -> books.reader()),
                new Contender("ledger.verify-deep", 1, callers -> small.judge()));
    }

    /** A ledger and the heads of its streams. */
    private static final class Books {

        private final Path repository;
        private final Ledger ledger;
        private final Ids ids = new Ids(InstantSource.system(), new SecureRandom());
        private final AtomicReferenceArray<TxHash> heads;

        private Books(Path repository, Ledger ledger, AtomicReferenceArray<TxHash> heads) {
            this.repository = repository;
            this.ledger = ledger;
            this.heads = heads;
        }

        /** Written in memory where possible, since it is not measured, then copied to disk. */
        static Books prepared(Path repository, int streams, int versions) throws IOException {
            Path draft = Scratch.memory().resolve(repository.getFileName());
            AtomicReferenceArray<TxHash> heads = new AtomicReferenceArray<>(streams);
            try (Ledger ledger = Ledger.init(draft, SigningKey.generate(), LedgerOptions.defaults())) {
                Books books = new Books(draft, ledger, heads);
                List<Integer> batch = new ArrayList<>();
                for (int i = 0; i < streams; i++) {
                    heads.set(i, TxHash.NONE);
                    batch.add(i);
                    if (batch.size() == BATCH || i == streams - 1) {
                        books.write(batch);
                        batch.clear();
                    }
                }
                for (int version = 2; version <= versions; version++) {
                    books.write(0);
                }
            }
            Scratch.copy(draft, repository);
            return new Books(repository, Ledger.open(repository, LedgerOptions.defaults()), heads);
        }

        /** Each caller has its own streams, so that no caller loses a race. */
        Round writers(int callers) {
            return round(caller -> {
                int own = Math.max(1, heads.length() / callers);
                int stream = ThreadLocalRandom.current().nextInt(own) * callers + caller;
                write(Math.min(stream, heads.length() - 1));
                return 1;
            });
        }

        Round batches() {
            return round(caller -> {
                int first = ThreadLocalRandom.current().nextInt(heads.length() - BATCH);
                List<Integer> batch = new ArrayList<>();
                for (int i = 0; i < BATCH; i++) {
                    batch.add(first + i);
                }
                write(batch);
                return BATCH;
            });
        }

        Round reader() {
            return round(caller -> {
                ledger.read(stream(7));
                return 1;
            });
        }

        /** Counts the transactions that a deep verification reads. */
        Round judge() {
            return round(caller -> {
                Report report = Verifier.verify(repository, Trust.nothing(), Verifier.Depth.DEEP);
                if (!report.isClean()) {
                    throw new IllegalStateException(report.findings().toString());
                }
                return (int) report.transactions();
            });
        }

        void write(int stream) {
            settle(stream, ledger.append(next(stream)));
        }

        private void write(List<Integer> streams) {
            List<CompletableFuture<Append>> answers =
                    streams.stream().map(stream -> ledger.submit(next(stream))).toList();
            for (int i = 0; i < answers.size(); i++) {
                settle(streams.get(i), answers.get(i).join());
            }
        }

        private Write next(int stream) {
            Json body = Json.parse(
                    "{\"n\":" + ThreadLocalRandom.current().nextInt(1 << 30) + ",\"pad\":\"" + "a".repeat(150) + "\"}");
            return new Write(stream(stream), new Change.Put(body), heads.get(stream), ids.nextUlid());
        }

        private void settle(int stream, Append answer) {
            if (answer instanceof Append.Appended appended) {
                heads.set(stream, appended.head());
            } else {
                throw new IllegalStateException("not appended: " + answer);
            }
        }

        private static StreamId stream(int number) {
            return StreamId.of("orders", "order-" + number);
        }
    }

    /** One call of a round. */
    interface Call {
        int run(int caller) throws Exception;
    }

    static Round round(Call call) {
        return new Round() {
            @Override
            public int call(int caller) throws Exception {
                return call.run(caller);
            }

            @Override
            public void close() {}
        };
    }
}
