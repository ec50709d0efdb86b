package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
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
class PlainMoveStoreTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final Ledgers ledgers = new Ledgers(postgres.dataSource());
    private final PostingStore postings = new PostingStore();
    private final PlainMoveStore plainMoves = new PlainMoveStore();
    private final Mover mover = new Mover(ledgers.collation(), postings, new JobStore(), new SignalStore(), LEASE);

    @Test
    void a_plain_move_leaves_the_rows_that_the_ledgers_themselves_would_work_out() {
        Lease straight = leased();
        Lease careful = leased();

        for (Move move : lifeOf(straight)) {
            assertThat(move.isPlain()).isTrue();
            assertThat(apply(move)).isEqualTo(new Moved.Done());
        }
        for (Move move : lifeOf(careful)) {
            ledgers.database().transact("the long way", tx -> {
                ledgers.collation().lock(tx, List.of(move.job()), true);
                ledgers.collation().enter(tx, move.dispatches());
                return ledgers.collation().collate(tx, move.results());
            });
        }

        assertThat(rows(straight)).hasSize(9).isEqualTo(rows(careful));
    }

    @Test
    void a_plain_move_that_comes_again_gets_its_first_answer_and_changes_no_result() {
        Lease lease = leased();
        Move first = lifeOf(lease).getFirst();

        assertThat(apply(first)).isEqualTo(new Moved.Done());
        assertThat(apply(first)).isEqualTo(new Moved.Done());

        assertThat(rows(lease))
                .anyMatch(row -> row.startsWith("guid 1 one 0 11000000002"))
                .noneMatch(row -> row.startsWith("job 0"));
    }

    @Test
    void the_end_that_comes_again_gets_its_first_answer() {
        Lease lease = leased();
        List<Move> life = lifeOf(lease);
        life.forEach(this::apply);
        List<String> before = rows(lease);

        assertThat(apply(life.getLast())).isEqualTo(new Moved.Done());

        assertThat(rows(lease)).isEqualTo(before);
    }

    @Test
    void a_body_that_parks_for_an_activity_that_is_done_already_is_due_again() {
        Lease lease = leased();
        Lease other = leased();
        apply(lifeOf(lease).getFirst());

        assertThat(park(lease)).isEqualTo(new Moved.DueAgain());
        assertThat(park(other)).isEqualTo(new Moved.Done());
    }

    private @Nullable Moved park(Lease lease) {
        Move parking = new Move(lease, List.of(), List.of(), List.of(), List.of("1"));
        return ledgers.database()
                .transact("park", tx -> mover.apply(tx, List.of(parking)).getFirst());
    }

    @Test
    void a_step_that_came_too_late_is_told_so_also_when_it_comes_again() {
        Lease lease = leased();
        Move step = lifeOf(lease).getFirst();
        ActivityId cancel = ActivityId.cancel(lease.job());
        ledgers.enter(LegOne.inline(cancel, "cancel", 0));
        ledgers.collate(LegTwo.ending(cancel, 0, JobOutcome.CANCELLED, null, "it was cancelled"));

        assertThat(apply(step)).isEqualTo(new Moved.JobClosed());
        assertThat(apply(step)).isEqualTo(new Moved.JobClosed());
    }

    @Test
    void an_end_that_came_too_late_is_told_so_also_when_it_comes_again() {
        Lease lease = leased();
        List<Move> life = lifeOf(lease);
        apply(life.getFirst());
        ActivityId cancel = ActivityId.cancel(lease.job());
        ledgers.enter(LegOne.inline(cancel, "cancel", 0));
        ledgers.collate(LegTwo.ending(cancel, 0, JobOutcome.CANCELLED, null, "it was cancelled"));

        assertThat(apply(life.getLast())).isEqualTo(new Moved.JobClosed());
        assertThat(apply(life.getLast())).isEqualTo(new Moved.JobClosed());

        assertThat(rows(lease))
                .anyMatch(row -> row.startsWith("job 0 cancelled"))
                .anyMatch(row -> row.startsWith("guid 2 two"));
    }

    @Test
    void a_job_that_a_stranger_holds_leaves_the_batch_and_the_others_go_on() {
        Lease held = leased();
        Lease free = leased();
        List<Move> both = List.of(lifeOf(held).getFirst(), lifeOf(free).getFirst());

        GroupCommitter committer = new GroupCommitter(ledgers.database(), GroupCommitter.Limits.DEFAULT);
        try (committer) {
            ledgers.database().transact("stranger", stranger -> {
                ledgers.collation().lock(stranger, List.of(held.job()), true);
                List<CompletableFuture<Moved>> answers =
                        both.stream().map(move -> committer.submit(mover, move)).toList();
                assertThat(answers.getLast().join()).isEqualTo(new Moved.Done());
                assertThat(rows(held)).noneMatch(row -> row.startsWith("guid"));
                return null;
            });
        }
    }

    @Test
    void plain_moves_whose_reply_was_lost_come_again_together() {
        Lease early = leased();
        List<Move> late =
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
            CompletableFuture<Moved> first =
                    committer.submit(mover, lifeOf(early).getFirst());
            leaving.await();
            List<CompletableFuture<Moved>> others =
                    late.stream().map(move -> committer.submit(mover, move)).toList();
            queued.fire();

            assertThat(first.join()).isEqualTo(new Moved.Done());
            assertThat(others).extracting(CompletableFuture::join).containsOnly(new Moved.Done());
            assertThat(proxy.commits(CommitFate.LOSE_REPLY)).isEqualTo(1);
            assertThat(committer.counts().batches()).isEqualTo(2);
        }
    }

    @Test
    void what_does_not_stand_as_a_plain_move_thinks_is_left_alone() {
        Lease lease = leased();
        Move first = lifeOf(lease).getFirst();
        Lease another = new Lease(lease.activity(), lease.guid(), lease.fence() + 1);
        List<String> before = rows(lease);

        assertThat(straight(lifeOf(another).getFirst())).isEmpty();
        assertThat(rows(lease)).isEqualTo(before);

        assertThat(straight(first)).contains(new Moved.Done());
        List<String> moved = rows(lease);
        assertThat(straight(first)).isEmpty();
        assertThat(rows(lease)).isEqualTo(moved);
    }

    /** As the committer goes about it. */
    private Moved apply(Move move) {
        return straight(move).orElseGet(() -> {
            List<@Nullable Moved> answers =
                    ledgers.database().transact("move alone", tx -> mover.apply(tx, List.of(move)));
            return Objects.requireNonNull(answers.getFirst());
        });
    }

    /** Empty if the short way leads nowhere. */
    private Optional<Moved> straight(Move move) {
        List<Moved> answers = new ArrayList<>();
        ledgers.database().transact("move", tx -> {
            plainMoves.moveLater(tx, List.of(move), job -> answers.add(new Moved.Done()));
            return null;
        });
        return answers.stream().findFirst();
    }

    /** A step that is entered with its result together with one that is begun; one that failed, and the end. */
    private static List<Move> lifeOf(Lease body) {
        ActivityId one = new ActivityId(body.job(), "1", "one");
        ActivityId two = new ActivityId(body.job(), "2", "two");
        ActivityId begun = new ActivityId(body.job(), "3", "begun");
        LegTwo end = LegTwo.ending(
                body.activity(), body.fence(), JobOutcome.COMPLETED, "2".getBytes(StandardCharsets.UTF_8), null);
        return List.of(
                new Move(
                        body,
                        List.of(LegTwo.whole(one, body.fence(), 0, "1".getBytes(StandardCharsets.UTF_8), null)),
                        List.of(LegOne.attempt(one, "step", 1), LegOne.attempt(begun, "step", 1)),
                        List.of(),
                        List.of()),
                new Move(
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

        assertThat(new Move(body, List.of(result), List.of(), List.of(), List.of()).isPlain())
                .isFalse();
    }

    private Lease leased() {
        JobId job = ledgers.job();
        return ledgers
                .database()
                .transact("lease", tx -> postings.leaseBodies(tx, Set.of("flow@1"), 1_000, LEASE, "a holder"))
                .stream()
                .map(LeasedBody::lease)
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
