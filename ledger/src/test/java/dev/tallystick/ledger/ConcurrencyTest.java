package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.testkit.ChildJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrencyTest {

    private static final int PROCESSES = 4;
    private static final int THREADS = 16;
    private static final int STREAMS = 100;

    @TempDir
    Path scratch;

    private Path repository;
    private String rootKey;

    @BeforeEach
    void init() throws IOException {
        repository = scratch.resolve("ledger.git");
        SigningKey root = SigningKey.generate();
        rootKey = root.publicKey().line();
        Ledger.init(repository, root, LedgerOptions.defaults()).close();
    }

    @Test
    void of_many_writers_on_one_head_exactly_one_is_appended() throws Exception {
        StreamId stream = StreamId.of("races", "doc");
        TxHash head = TxHash.NONE;
        try (Ledger one = Ledger.open(repository, LedgerOptions.defaults());
                Ledger other = Ledger.open(repository, LedgerOptions.defaults())) {
            for (int round = 1; round <= 10; round++) {
                List<CompletableFuture<Append>> answers = new ArrayList<>();
                for (int writer = 0; writer < 32; writer++) {
                    Ledger ledger = writer % 2 == 0 ? one : other;
                    answers.add(ledger.submit(put(stream, head, Integer.toString(writer))));
                }
                List<TxHash> winners = new ArrayList<>();
                for (CompletableFuture<Append> answer : answers) {
                    if (answer.get() instanceof Append.Appended appended) {
                        winners.add(appended.head());
                    }
                }
                assertThat(winners).hasSize(1);
                head = winners.getFirst();
                for (CompletableFuture<Append> answer : answers) {
                    if (!(answer.get() instanceof Append.Appended)) {
                        assertThat(answer.get()).isEqualTo(new Append.HeadChanged(head));
                    }
                }
            }
            assertThat(one.log(stream, Integer.MAX_VALUE, 100)).hasSize(10);
        }
        judge(10);
    }

    @Test
    void packs_stay_few_while_writers_keep_writing() throws Exception {
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            TxHash head = TxHash.NONE;
            StreamId stream = StreamId.of("packs", "doc");
            for (int version = 1; version <= 120; version++) {
                head = Writes.done(ledger, put(stream, head, Integer.toString(version)));
            }
        }
        try (var files = Files.list(repository.resolve("objects/pack"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".pack")).count())
                    .isLessThan(100);
        }
        judge(120);
    }

    @Test
    void every_stream_is_exactly_what_was_acknowledged() throws Exception {
        writeFromManyProcesses(Duration.ofSeconds(5));
    }

    @Test
    @Tag("campaign")
    void every_stream_is_exactly_what_was_acknowledged_for_longer() throws Exception {
        writeFromManyProcesses(Duration.ofSeconds(30));
    }

    private void writeFromManyProcesses(Duration duration) throws Exception {
        List<ChildJvm> children = new ArrayList<>();
        int foreign = 0;
        try {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(ChildJvm.of(ManyWriters.class)
                        .start(
                                repository.toString(),
                                acknowledged(i).toString(),
                                Long.toString(duration.toMillis()),
                                Integer.toString(i)));
            }
            children.forEach(child -> child.awaitLine("ready"::equals));
            while (children.stream().anyMatch(ChildJvm::isAlive)) {
                foreign += commitByNativeGit() ? 1 : 0;
            }
            for (ChildJvm child : children) {
                assertThat(child.awaitExit())
                        .as(String.join("\n", child.lines()))
                        .isZero();
            }
        } finally {
            children.forEach(ChildJvm::close);
        }
        Map<String, Set<String>> expected = new TreeMap<>();
        int total = 0;
        for (int i = 0; i < PROCESSES; i++) {
            for (String line : Files.readAllLines(acknowledged(i))) {
                String[] parts = line.split(" ", 2);
                assertThat(expected.computeIfAbsent(parts[0], stream -> new HashSet<>())
                                .add(parts[1]))
                        .isTrue();
                total++;
            }
        }
        assertThat(total).as("acknowledged transactions").isGreaterThan(PROCESSES);
        assertThat(foreign).as("commits by native git").isPositive();
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            for (int i = 0; i < STREAMS; i++) {
                List<LogEntry> log = ledger.log(StreamId.of("many", "s" + i), Integer.MAX_VALUE, Integer.MAX_VALUE);
                assertThat(log.stream().map(entry -> entry.tx().txId().toString()))
                        .as("stream %d", i)
                        .containsExactlyInAnyOrderElementsOf(expected.getOrDefault("s" + i, Set.of()));
            }
        }
        assertThat(Native.git(repository, "log", "--format=%s", "main")
                        .lines()
                        .filter("foreign"::equals)
                        .count())
                .isEqualTo(foreign);
        judge(total);
    }

    /** Compare-and-set with native Git; returns whether it won. */
    private boolean commitByNativeGit() {
        String main = Native.git(repository, "rev-parse", "main").strip();
        String commit = Native.git(repository, "commit-tree", main + "^{tree}", "-p", main, "-m", "foreign")
                .strip();
        Native.Result result = Native.run(repository, Map.of(), "git", "update-ref", "refs/heads/main", commit, main);
        return result.status() == 0;
    }

    private void judge(int transactions) throws IOException {
        Report report = Verifier.verify(repository, Trust.in(rootKey), Verifier.Depth.DEEP);
        assertThat(report.findings()).isEmpty();
        assertThat(report.transactions()).isEqualTo(transactions);
        Native.accepts(repository, scratch);
    }

    private Path acknowledged(int process) {
        return scratch.resolve("acknowledged-" + process);
    }

    /** Threads that append to the same few streams for a while and record what was acknowledged. */
    static final class ManyWriters {

        public static void main(String[] arguments) throws Exception {
            long nanos = Duration.ofMillis(Long.parseLong(arguments[2])).toNanos();
            try (Ledger ledger = Ledger.open(Path.of(arguments[0]), LedgerOptions.defaults());
                    PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(arguments[1])));
                    ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
                System.out.println("ready");
                long end = System.nanoTime() + nanos;
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[3]) * THREADS + i);
                    all.add(threads.submit(() -> {
                        while (System.nanoTime() < end) {
                            write(ledger, out, "s" + random.nextInt(STREAMS));
                        }
                        return null;
                    }));
                }
                for (Future<?> thread : all) {
                    thread.get();
                }
            }
        }

        private static void write(Ledger ledger, PrintWriter out, String name) throws IOException {
            StreamId stream = StreamId.of("many", name);
            Write write = put(stream, ledger.read(stream).head(), "{\"by\":\"another\"}");
            Ulid id = write.txId();
            switch (ledger.append(write)) {
                case Append.Appended appended -> {
                    synchronized (out) {
                        out.println(name + " " + id);
                    }
                }
                case Append.HeadChanged changed -> {}
                case Append.Invalid invalid -> throw new AssertionError(invalid);
                case Append.Refused refused -> throw new AssertionError(refused);
                case Append.Unavailable unavailable -> throw new AssertionError(unavailable);
            }
        }
    }
}
