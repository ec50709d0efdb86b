package dev.tallystick.engine.seal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Gate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several processes on one database: one batch for each size, sealed by a process that has the log. */
class SealersTest extends SealingRig {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** A process with its own directory that keeps the lease until it gives it back. */
    private SealSettings elsewhere(String name) {
        return SealSettings.in(files.resolve(name)).lease(Duration.ofMinutes(1));
    }

    /** Whether this many sessions wait for a lock with such a statement. */
    private boolean waiting(int sessions, String statement) {
        return workbench
                        .database()
                        .transact("look", tx -> tx.first("""
                                select count(*) as n
                                from pg_stat_activity
                                where datname = current_database()
                                    and wait_event_type = 'Lock'
                                    and position(? in query) > 0
                                """, row -> row.getLong("n"), statement))
                        .orElseThrow()
                == sessions;
    }

    /** A busy machine may need longer for a batch than Postgres lets a transaction idle. */
    @Test
    void no_transaction_is_open_while_a_batch_is_worked_out() throws Exception {
        AtomicInteger looked = new AtomicInteger();
        Sealer sealer = sealer(workbench.database(), point -> {
            if (point == SealCrashPoint.WORKED_OUT) {
                looked.addAndGet(workbench
                        .database()
                        .transact("look", tx -> tx.query("select 1 from tally.seal_log for update nowait", row -> 1))
                        .size());
            }
        });
        run("one", "key");
        sealer.seal();

        assertThat(looked.get()).isEqualTo(1);
        everythingIsSealedOnce();
    }

    @Test
    void a_process_without_the_directory_neither_takes_nor_keeps_the_lease() throws Exception {
        sealer().seal();
        run("one", "first");
        sealer().seal();
        copySecrets("other");
        Sealer homeless = sealer(workbench.database(), elsewhere("other"), CrashPoints.NONE);
        run("one", "second");

        homeless.seal();
        assertThat(homeless.backlog().alarm()).contains("MISSING");
        assertThat(alarm()).contains("MISSING");
        assertThat(number("select count(*) as n from tally.seal_log where owner is null"))
                .isEqualTo(1);

        Sealer able = sealer(workbench.database(), settings().lease(Duration.ofMinutes(1)), CrashPoints.NONE);
        able.seal();
        everythingIsSealedOnce();
        homeless.seal();
        assertThat(homeless.backlog().alarm()).contains("MISSING");
        assertThat(alarm()).as("the log is well where it is").isEmpty();
        run("one", "third");
        able.seal();
        everythingIsSealedOnce();
    }

    @Test
    void a_process_that_loses_its_directory_gives_the_lease_back() throws Exception {
        Sealer able = sealer(workbench.database(), settings().lease(Duration.ofMinutes(1)), CrashPoints.NONE);
        run("one", "first");
        able.seal();
        Files.delete(files.resolve("log/checkpoint"));
        run("one", "second");
        able.seal();

        assertThat(able.backlog().alarm()).isNotNull();
        assertThat(number("select count(*) as n from tally.seal_log where owner is null"))
                .isEqualTo(1);
    }

    @Test
    void of_two_processes_that_begin_in_different_directories_at_once_one_seals() throws Exception {
        List<CompletableFuture<Sealer>> opening = workbench
                .database()
                .transact("keep both from beginning", SessionLimits.USERS, tx -> {
                    tx.update("lock table tally.job in share row exclusive mode");
                    List<CompletableFuture<Sealer>> both = Stream.of("a", "b")
                            .map(name -> CompletableFuture.supplyAsync(
                                    () -> Sealer.open(workbench.database(), elsewhere(name), ORIGIN, CrashPoints.NONE),
                                    threads))
                            .toList();
                    Eventually.holds("both begin to seal", () -> waiting(2, "lock table tally.job"));
                    return both;
                });
        opening.forEach(each -> sealers.add(each.join()));
        run("one", "key");
        for (Sealer each : List.of(sealers.get(0), sealers.get(1), sealers.get(0))) {
            each.seal();
        }

        List<Sealer> alarmed =
                sealers.stream().filter(each -> each.backlog().alarm() != null).toList();
        assertThat(alarmed).hasSize(1);
        assertThat(alarmed.getFirst().backlog().alarm()).contains("OTHER_KEYS");
        assertThat(alarm()).isEmpty();
        assertThat(types()).containsExactly("member secret", "accepted", "closed", "map head");
        assertThat(Stream.of("a", "b").filter(name -> Files.exists(files.resolve(name + "/log/checkpoint"))))
                .hasSize(1);
    }

    /** With the same keys, the process that finds an intent finishes it in its own directory, byte for byte. */
    @Test
    void a_process_with_a_directory_of_its_own_finishes_the_first_batch_of_one_that_was_stopped() throws Exception {
        Gate gate = new Gate("the first process before it publishes");
        Sealer stopped = sealer(workbench.database(), reached -> {
            if (reached == SealCrashPoint.FILES_WRITTEN) {
                gate.pass();
            }
        });
        run("one", "first");
        CompletableFuture<Void> sealing = CompletableFuture.runAsync(stopped::seal, threads);
        gate.awaitArrival();
        copySecrets("other");
        Sealer other = sealer(workbench.database(), elsewhere("other"), CrashPoints.NONE);
        other.seal();
        run("one", "second");
        other.seal();
        long size = size();
        gate.open();
        sealing.join();
        stopped.seal();

        assertThat(stopped.backlog().alarm()).contains("ROLLED_BACK");
        assertThat(size()).isEqualTo(size);
        assertThat(alarm()).isEmpty();
        assertThat(workbench.count("seal_queue")).isZero();
        assertThat(Files.readString(files.resolve("other/log/checkpoint"))).contains("\n" + size + "\n");
    }

    /** The intent of a size disappears in the commit that moves the anchor beyond it, never before. */
    @Test
    void no_second_batch_is_recorded_for_a_size_that_is_just_being_anchored() throws Exception {
        Gate planned = new Gate("the slow process before its intent");
        Sealer slow = sealer(workbench.database(), reached -> {
            if (reached == SealCrashPoint.WORKED_OUT) {
                planned.pass();
            }
        });
        run("one", "first");
        CompletableFuture<Void> slowly = CompletableFuture.runAsync(slow::seal, threads);
        planned.awaitArrival();
        Gate anchoring = new Gate("the quick process before it commits its anchor");
        Sealer quick = sealer(workbench.database(), reached -> {
            if (reached == SealCrashPoint.ANCHORING) {
                anchoring.pass();
            }
        });
        CompletableFuture<Void> quickly = CompletableFuture.runAsync(quick::seal, threads);
        anchoring.awaitArrival();
        planned.open();
        Eventually.holds("the slow process waits for the quick one", () -> waiting(1, "into tally.seal_intent"));
        anchoring.open();
        quickly.join();
        slowly.join();

        everythingIsSealedOnce();
        run("one", "second");
        slow.seal();
        everythingIsSealedOnce();
    }

    private void copySecrets(String name) throws Exception {
        Path to = Files.createDirectories(files.resolve(name).resolve("seal"));
        try (Stream<Path> secrets = Files.list(files.resolve("seal"))) {
            for (Path each : secrets.toList()) {
                Files.copy(each, to.resolve(each.getFileName()), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }
}
