package dev.tallystick.engine.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.files.LogCrashPoint;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.workflow.JobId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** R21: each fact is sealed exactly once and in order, whatever dies, stops or is lost in between. */
class SealerTest extends SealingRig {

    @Test
    void a_job_is_sealed_as_accepted_and_as_closed_under_a_head() throws Exception {
        Sealer sealer = sealer();
        run("one", "key");
        sealer.seal();

        assertThat(types()).containsExactly("member secret", "accepted", "closed", "map head");
        everythingIsSealedOnce();

        run("one", "other");
        sealer.seal();
        assertThat(types())
                .containsExactly("member secret", "accepted", "closed", "map head", "accepted", "closed", "map head");
        everythingIsSealedOnce();
    }

    @Test
    void an_open_job_is_sealed_as_accepted_and_later_as_closed() throws Exception {
        Sealer sealer = sealer();
        JobId job = workbench.submit(engine, "waiting", "key");
        sealer.seal();
        assertThat(types()).containsExactly("member secret", "accepted", "map head");

        workbench.signal(engine, job, "go");
        workbench.await(engine, job);
        sealer.seal();

        assertThat(types()).containsExactly("member secret", "accepted", "map head", "closed", "map head");
        everythingIsSealedOnce();
    }

    @Test
    void with_nothing_to_seal_nothing_is_signed() {
        Sealer sealer = sealer();
        sealer.seal();
        sealer.seal();

        assertThat(size()).isZero();
        assertThat(files.resolve("log/checkpoint")).doesNotExist();
    }

    @Test
    void jobs_from_before_sealing_began_are_sealed_with_their_keys() throws Exception {
        run("one", "before");
        workbench.submit(engine, "waiting", "open");
        Sealer sealer = sealer();
        sealer.seal();

        assertThat(entries().stream()
                        .filter(LogEntry.Accepted.class::isInstance)
                        .map(LogEntry.Accepted.class::cast))
                .hasSize(2)
                .allSatisfy(accepted -> assertThat(accepted.tag()).isNotNull());
        everythingIsSealedOnce();
    }

    @Test
    void children_continuations_and_keyless_jobs_say_where_they_come_from() throws Exception {
        Sealer sealer = sealer();
        run("parent", "parent");
        JobId first = run("again", "again");
        JobId rerun = engine.reruns().rerun("default", first);
        workbench.await(engine, rerun);
        sealer.seal();

        assertThat(entries().stream()
                        .filter(LogEntry.Accepted.class::isInstance)
                        .map(LogEntry.Accepted.class::cast)
                        .map(accepted -> (accepted.tag() == null ? "" : "tag ")
                                + (accepted.origin() == null
                                        ? ""
                                        : accepted.origin().kind().word())))
                .containsExactly("tag ", "child", "tag ", "continuation", "rerun", "continuation");
        everythingIsSealedOnce();
    }

    @Test
    void a_key_that_is_accepted_again_after_its_expiry_gets_another_tag() throws Exception {
        Sealer sealer = sealer();
        run("one", "key");
        sealer.seal();
        workbench.database().transact("forget the key", tx -> tx.update("delete from tally.key"));
        run("one", "key");
        sealer.seal();

        assertThat(entries().stream()
                        .filter(LogEntry.Accepted.class::isInstance)
                        .map(entry -> ((LogEntry.Accepted) entry).tag()))
                .hasSize(2)
                .doesNotHaveDuplicates()
                .doesNotContainNull();
        everythingIsSealedOnce();
    }

    @Test
    void small_batches_seal_the_same() throws Exception {
        Sealer sealer = sealer(workbench.database(), settings().facts(1), CrashPoints.NONE);
        for (int i = 0; i < 5; i++) {
            run("one", "key" + i);
        }
        sealer.seal();

        everythingIsSealedOnce();
    }

    static Stream<CrashPoint> crashPoints() {
        return Stream.concat(Stream.of(SealCrashPoint.values()), Stream.of(LogCrashPoint.values()));
    }

    @ParameterizedTest
    @MethodSource("crashPoints")
    void a_crash_at_any_point_leaves_a_batch_that_the_next_sealer_finishes(CrashPoint point) throws Exception {
        sealer().seal();
        run("one", "before");
        sealer().seal();
        run("one", "in between");
        CrashAt crash = CrashAt.first(point);
        Sealer dying = sealer(workbench.database(), crash);
        assertThatThrownBy(dying::seal).isInstanceOf(SimulatedCrash.class);
        run("one", "after");

        sealer().seal();

        everythingIsSealedOnce();
    }

    @ParameterizedTest
    @EnumSource(
            value = CommitFate.class,
            names = {"LOSE_REPLY", "CUT_BEFORE"})
    void a_lost_reply_of_either_commit_changes_nothing(CommitFate fate) throws Exception {
        for (String statement : List.of("into tally.seal_intent", "delete from tally.seal_intent")) {
            try (TcpProxy proxy = postgres.proxy()) {
                Sealer far = sealer(Database.on(postgres.proxied(proxy)), CrashPoints.NONE);
                run("one", statement);
                proxy.onCommit(CommitPolicy.nextMentioning(statement, fate));

                assertThatThrownBy(far::seal).isInstanceOf(TransactionException.class);
                assertThat(proxy.commits(fate)).isEqualTo(1);
                run("one", statement + " later");
                far.seal();
            }
            everythingIsSealedOnce();
        }
    }

    // Inside a transaction the other sealer waits for its row, until Postgres ends the stopped session.
    @ParameterizedTest
    @EnumSource(
            value = SealCrashPoint.class,
            names = {"INTENDING", "ANCHORING"},
            mode = EnumSource.Mode.EXCLUDE)
    void a_sealer_that_was_stopped_past_its_lease_does_no_harm(SealCrashPoint point) throws Exception {
        Gate gate = new Gate("the sealer at " + point);
        Sealer stopped = sealer(workbench.database(), reached -> {
            if (reached == point) {
                gate.pass();
            }
        });
        run("one", "first");
        Thread thread = Thread.ofPlatform().start(stopped::seal);
        gate.awaitArrival();
        run("one", "second");
        Sealer successor = sealer();
        successor.seal();
        everythingIsSealedOnce();
        long sealedBySuccessor = size();

        gate.open();
        thread.join();
        assertThat(size()).isEqualTo(sealedBySuccessor);
        run("one", "third");
        successor.seal();
        stopped.seal();

        everythingIsSealedOnce();
    }

    @Test
    void while_one_sealer_has_the_lease_another_does_nothing() throws Exception {
        Sealer first = Sealer.open(
                workbench.database(), SealSettings.in(files).lease(Duration.ofMinutes(1)), ORIGIN, CrashPoints.NONE);
        first.seal();
        run("one", "key");

        sealer().seal();
        assertThat(size()).isZero();

        first.close();
        sealer().seal();
        everythingIsSealedOnce();
    }

    @Test
    void a_missing_directory_stops_sealing_and_not_the_jobs_until_it_is_back() throws Exception {
        Sealer sealer = sealer();
        run("one", "key");
        sealer.seal();
        long before = size();
        Files.move(files.resolve("log"), files.resolve("elsewhere"));

        Sealer next = sealer();
        run("one", "other");
        next.seal();
        assertThat(alarm()).contains("MISSING");
        assertThat(next.backlog().alarm()).contains("MISSING");
        assertThat(next.backlog().rows()).isPositive();
        assertThat(size()).isEqualTo(before);
        assertThat(files.resolve("log/checkpoint")).doesNotExist();

        if (Files.exists(files.resolve("log"))) {
            Files.delete(files.resolve("log"));
        }
        Files.move(files.resolve("elsewhere"), files.resolve("log"));
        next.seal();
        everythingIsSealedOnce();
        assertThat(next.backlog().alarm()).isNull();
    }

    @Test
    void a_checkpoint_that_was_rolled_back_raises_the_alarm() throws Exception {
        Sealer sealer = sealer();
        run("one", "key");
        sealer.seal();
        byte[] old = Files.readAllBytes(files.resolve("log/checkpoint"));
        run("one", "other");
        sealer.seal();
        long before = size();
        Files.write(files.resolve("log/checkpoint"), old);
        run("one", "third");
        sealer().seal();

        assertThat(alarm()).isNotEmpty();
        assertThat(size()).isEqualTo(before);
    }

    @Test
    void a_database_that_lost_its_last_batch_raises_the_alarm() {
        Sealer sealer = sealer();
        run("one", "key");
        sealer.seal();
        String checkpoint = workbench
                .database()
                .transact(
                        "anchor",
                        tx -> tx.first("select checkpoint from tally.seal_log", row -> row.getString("checkpoint")))
                .orElseThrow();
        long old = size();
        run("one", "other");
        sealer.seal();
        workbench
                .database()
                .transact(
                        "lose a commit",
                        tx -> tx.update("update tally.seal_log set size = ?, checkpoint = ?", old, checkpoint));
        run("one", "third");
        sealer().seal();

        assertThat(alarm()).contains("AHEAD_WITHOUT_INTENT");
        assertThat(size()).isEqualTo(old);
    }

    @Test
    void the_secrets_are_readable_by_their_owner_only_and_never_made_twice() throws Exception {
        Sealer sealer = sealer();
        Path secret = files.resolve("seal/installation.secret");
        assertThat(Files.getPosixFilePermissions(secret)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.getPosixFilePermissions(files.resolve("seal/signing.key")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        sealer.close();

        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(this::sealer)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chmod 600");

        Files.delete(secret);
        assertThatThrownBy(this::sealer)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is missing");
        assertThat(secret).doesNotExist();
    }
}
