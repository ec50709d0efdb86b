package dev.tallystick.engine.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.CheckpointResult;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.Ledgers;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The short way of plain moves leaves what the long way leaves. */
class FastCheckpointStoreTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final Ledgers ledgers = new Ledgers(postgres.dataSource());
    private final PostingStore postings = new PostingStore();
    private final FastCheckpointStore plainMoves = new FastCheckpointStore();
    private final CheckpointWriter checkpointWriter =
            new CheckpointWriter(ledgers.collation(), postings, new JobStore(), new SignalStore(), LEASE);

    @Test
    void a_plain_move_leaves_the_rows_that_the_ledgers_themselves_would_work_out() {
        Lease straight = leased();
        Lease careful = leased();

        for (Checkpoint checkpoint : lifeOf(straight)) {
            assertThat(checkpoint.isPlain()).isTrue();
            assertThat(apply(checkpoint)).isEqualTo(new CheckpointResult.Done());
        }
        for (Checkpoint checkpoint : lifeOf(careful)) {
            ledgers.database().transact("the long way", tx -> {
                ledgers.collation().lock(tx, List.of(checkpoint.job()), true);
                ledgers.collation().enter(tx, checkpoint.dispatches());
                return ledgers.collation().collate(tx, checkpoint.results());
            });
        }

        assertThat(rows(straight)).hasSize(9).isEqualTo(rows(careful));
    }

    @Test
    void a_plain_move_that_comes_again_gets_its_first_answer_and_changes_no_result() {
        Lease lease = leased();
        Checkpoint first = lifeOf(lease).getFirst();

        assertThat(apply(first)).isEqualTo(new CheckpointResult.Done());
        assertThat(apply(first)).isEqualTo(new CheckpointResult.Done());

        assertThat(rows(lease))
                .anyMatch(row -> row.startsWith("guid 1 one 0 11000000002"))
                .noneMatch(row -> row.startsWith("job 0"));
    }

    @Test
    void the_end_that_comes_again_gets_its_first_answer() {
        Lease lease = leased();
        List<Checkpoint> life = lifeOf(lease);
        life.forEach(this::apply);
        List<String> before = rows(lease);

        assertThat(apply(life.getLast())).isEqualTo(new CheckpointResult.Done());

        assertThat(rows(lease)).isEqualTo(before);
    }

    @Test
    void a_body_that_parks_for_an_activity_that_is_done_already_is_due_again() {
        Lease lease = leased();
        Lease other = leased();
        apply(lifeOf(lease).getFirst());

        assertThat(park(lease)).isEqualTo(new CheckpointResult.DueAgain());
        assertThat(park(other)).isEqualTo(new CheckpointResult.Done());
    }

    private @Nullable CheckpointResult park(Lease lease) {
        Checkpoint parking = new Checkpoint(lease, List.of(), List.of(), List.of(), List.of("1"));
        return ledgers.database()
                .transact(
                        "park",
                        tx -> checkpointWriter.apply(tx, List.of(parking)).getFirst());
    }

    @Test
    void a_step_that_came_too_late_is_told_so_also_when_it_comes_again() {
        Lease lease = leased();
        Checkpoint step = lifeOf(lease).getFirst();
        ActivityId cancel = ActivityId.cancel(lease.job());
        ledgers.enter(LegOne.inline(cancel, "cancel", 0));
        ledgers.collate(LegTwo.ending(cancel, 0, JobOutcome.CANCELLED, null, "it was cancelled"));

        assertThat(apply(step)).isEqualTo(new CheckpointResult.JobClosed());
        assertThat(apply(step)).isEqualTo(new CheckpointResult.JobClosed());
    }

    @Test
    void an_end_that_came_too_late_is_told_so_also_when_it_comes_again() {
        Lease lease = leased();
        List<Checkpoint> life = lifeOf(lease);
        apply(life.getFirst());
        ActivityId cancel = ActivityId.cancel(lease.job());
        ledgers.enter(LegOne.inline(cancel, "cancel", 0));
        ledgers.collate(LegTwo.ending(cancel, 0, JobOutcome.CANCELLED, null, "it was cancelled"));

        assertThat(apply(life.getLast())).isEqualTo(new CheckpointResult.JobClosed());
        assertThat(apply(life.getLast())).isEqualTo(new CheckpointResult.JobClosed());

        assertThat(rows(lease))
                .anyMatch(row -> row.startsWith("job 0 cancelled"))
                .anyMatch(row -> row.startsWith("guid 2 two"));
    }

    @Test
    void a_job_that_a_stranger_holds_leaves_the_batch_and_the_others_go_on() {
        Lease held = leased();
        Lease free = leased();
        List<Checkpoint> both = List.of(lifeOf(held).getFirst(), lifeOf(free).getFirst());

        GroupCommitter committer = new GroupCommitter(ledgers.database(), GroupCommitter.Limits.DEFAULT);
        try (committer) {
            ledgers.database().transact("stranger", stranger -> {
                ledgers.collation().lock(stranger, List.of(held.job()), true);
                List<CompletableFuture<CheckpointResult>> answers = both.stream()
                        .map(checkpoint -> committer.submit(checkpointWriter, checkpoint))
                        .toList();
                assertThat(answers.getLast().join()).isEqualTo(new CheckpointResult.Done());
                assertThat(rows(held)).noneMatch(row -> row.startsWith("guid"));
                return null;
            });
        }
    }

    @Test
    void plain_moves_whose_reply_was_lost_come_again_together() {
        Lease early = leased();
        List<Checkpoint> late =
                Stream.generate(() -> lifeOf(leased()).getFirst()).limit(8).toList();
        Signal leaving = new Signal("the first is on its way");
        Signal queued = new Signal("the others are queued");
        Iterator<CommitFate> fates =
                List.of(CommitFate.FORWARD, CommitFate.LOSE_REPLY).iterator();
        try (TcpProxy proxy = postgres.proxy();
                GroupCommitter committer =
                        new GroupCommitter(Database.on(postgres.proxied(proxy)), GroupCommitter.Limits.DEFAULT)) {
            proxy.onCommit(commit -> {
                leaving.fire();
                queued.await();
                return fates.hasNext() ? fates.next() : CommitFate.FORWARD;
            });
            CompletableFuture<CheckpointResult> first =
                    committer.submit(checkpointWriter, lifeOf(early).getFirst());
            leaving.await();
            List<CompletableFuture<CheckpointResult>> others = late.stream()
                    .map(checkpoint -> committer.submit(checkpointWriter, checkpoint))
                    .toList();
            queued.fire();

            assertThat(first.join()).isEqualTo(new CheckpointResult.Done());
            assertThat(others).extracting(CompletableFuture::join).containsOnly(new CheckpointResult.Done());
            assertThat(proxy.commits(CommitFate.LOSE_REPLY)).isEqualTo(1);
            assertThat(committer.counts().batches()).isEqualTo(2);
        }
    }

    @Test
    void what_does_not_stand_as_a_plain_move_thinks_is_left_alone() {
        Lease lease = leased();
        Checkpoint first = lifeOf(lease).getFirst();
        Lease another = new Lease(lease.activity(), lease.guid(), lease.fence() + 1);
        List<String> before = rows(lease);

        assertThat(straight(lifeOf(another).getFirst())).isEmpty();
        assertThat(rows(lease)).isEqualTo(before);

        assertThat(straight(first)).contains(new CheckpointResult.Done());
        List<String> moved = rows(lease);
        assertThat(straight(first)).isEmpty();
        assertThat(rows(lease)).isEqualTo(moved);
    }

    /** As the committer goes about it. */
    private CheckpointResult apply(Checkpoint checkpoint) {
        return straight(checkpoint).orElseGet(() -> {
            List<@Nullable CheckpointResult> answers =
                    ledgers.database().transact("move alone", tx -> checkpointWriter.apply(tx, List.of(checkpoint)));
            return Objects.requireNonNull(answers.getFirst());
        });
    }

    /** Empty if the short way leads nowhere. */
    private Optional<CheckpointResult> straight(Checkpoint checkpoint) {
        List<CheckpointResult> answers = new ArrayList<>();
        ledgers.database().transact("move", tx -> {
            plainMoves.enqueue(tx, List.of(checkpoint), job -> answers.add(new CheckpointResult.Done()));
            return null;
        });
        return answers.stream().findFirst();
    }

    /** A step that is entered with its result together with one that is begun; one that failed, and the end. */
    private static List<Checkpoint> lifeOf(Lease body) {
        ActivityId one = new ActivityId(body.job(), "1", "one");
        ActivityId two = new ActivityId(body.job(), "2", "two");
        ActivityId begun = new ActivityId(body.job(), "3", "begun");
        LegTwo end = LegTwo.ending(
                body.activity(), body.fence(), JobOutcome.COMPLETED, "2".getBytes(StandardCharsets.UTF_8), null);
        return List.of(
                new Checkpoint(
                        body,
                        List.of(LegTwo.whole(one, body.fence(), 0, "1".getBytes(StandardCharsets.UTF_8), null)),
                        List.of(LegOne.attempt(one, "step", 1), LegOne.attempt(begun, "step", 1)),
                        List.of(),
                        List.of()),
                new Checkpoint(
                        body,
                        List.of(LegTwo.whole(two, body.fence(), 0, null, "no more of it"), end),
                        List.of(LegOne.attempt(two, "step", 1)),
                        List.of(),
                        List.of()));
    }

    @Test
    void what_was_begun_by_an_earlier_move_is_no_plain_answer() {
        Lease body = leased();
        ActivityId one = new ActivityId(body.job(), "1", "one");
        LegTwo result = LegTwo.whole(one, body.fence(), 0, null, null);

        assertThat(new Checkpoint(body, List.of(result), List.of(), List.of(), List.of()).isPlain())
                .isFalse();
    }

    private Lease leased() {
        JobId job = ledgers.job();
        return ledgers
                .database()
                .transact(
                        "lease",
                        tx -> new DuePostingStore().leaseBodies(tx, Set.of("flow@1"), 1_000, LEASE, "a holder"))
                .stream()
                .map(LeasedJob::lease)
                .filter(lease -> lease.job().equals(job))
                .findFirst()
                .orElseThrow();
    }

    /** Everything that the tables say of the job, without what tells it from another that went the same way. */
    private List<String> rows(Lease body) {
        return ledgers.database()
                .transact(
                        "read",
                        tx -> tx.query(
                                """
                        select concat_ws(' ', 'job', semaphore, outcome, encode(output, 'escape'), error,
                            closed_by = ?, closed_at is not null) as line
                        from tally.job
                        where id = ?
                        union all
                        select concat_ws(' ', 'activity', path, name, kind, ledger, attempts, encode(output, 'escape'), error)
                        from tally.activity
                        where job_id = ?
                        union all
                        select concat_ws(' ', 'guid', path, name, ordinal, ledger, fence)
                        from tally.guid
                        where job_id = ?
                        union all
                        select concat_ws(' ', 'postings', count(*))
                        from tally.posting
                        where job_id = ?
                        order by line
                        """,
                                row -> row.getString("line"),
                                body.guid().value(),
                                id(body),
                                id(body),
                                id(body),
                                id(body)));
    }

    private static UUID id(Lease body) {
        return body.job().value();
    }
}
