package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.sql.GroupCommitter.Limits;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.History;
import dev.tallystick.testkit.Patience;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

@ExtendWith(Seeded.class)
class GroupCommitterTest {

    private static final Limits LIMITS = Limits.DEFAULT;

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private final Deposit deposit = new Deposit();
    private Database database;

    @BeforeEach
    void open() {
        database = Database.on(postgres.dataSource());
        EffectStore.create(database);
        for (int i = 0; i < 300; i++) {
            String account = "account-" + i;
            database.transact("open", tx -> tx.update("insert into account (id, balance) values (?, 0)", account));
        }
    }

    @Test
    void an_answer_comes_after_its_commit() {
        try (GroupCommitter committer = new GroupCommitter(database, LIMITS)) {
            assertThat(committer.submit(deposit, item("k", 0)).join()).isEqualTo(1);
            assertThat(EffectStore.keys(database)).containsExactly("k");
        }
    }

    @Test
    void items_that_queue_while_a_batch_commits_form_one_batch() throws Exception {
        try (GroupCommitter committer = new GroupCommitter(database, LIMITS)) {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            answers.add(underWay(committer));
            for (int i = 1; i <= 200; i++) {
                answers.add(committer.submit(deposit, item("k" + i, i)));
            }
            deposit.first.open();
            answers.forEach(CompletableFuture::join);
        }
        assertThat(deposit.batches).hasSize(2);
        assertThat(deposit.batches.getLast()).hasSize(200);
    }

    @Test
    void two_items_for_one_row_both_count_in_the_order_in_which_they_came() throws Exception {
        try (GroupCommitter committer = new GroupCommitter(database, LIMITS)) {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            CompletableFuture<Integer> first = underWay(committer);
            assertThat(first).isNotDone();
            for (int i = 0; i < 5; i++) {
                answers.add(committer.submit(deposit, item("same-" + i, 7)));
                answers.add(committer.submit(deposit, item("other-" + i, 10 + i)));
            }
            deposit.first.open();
            for (int i = 0; i < 5; i++) {
                assertThat(answers.get(2 * i).join()).isEqualTo(i + 1);
                assertThat(answers.get(2 * i + 1).join()).isEqualTo(1);
            }
        }
        assertThat(balance("account-7")).isEqualTo(5);
    }

    @Test
    void a_poisoned_item_among_200_fails_alone() throws Exception {
        try (GroupCommitter committer = new GroupCommitter(database, LIMITS)) {
            List<CompletableFuture<Integer>> healthy = new ArrayList<>();
            CompletableFuture<Integer> poisoned;
            CompletableFuture<Integer> first = underWay(committer);
            assertThat(first).isNotDone();
            for (int i = 1; i < 100; i++) {
                healthy.add(committer.submit(deposit, item("k" + i, i)));
            }
            poisoned = committer.submit(deposit, item("poison", 100));
            for (int i = 101; i < 200; i++) {
                healthy.add(committer.submit(deposit, item("k" + i, i)));
            }
            deposit.first.open();
            healthy.forEach(answer -> assertThat(answer.join()).isEqualTo(1));
            assertDefinite(poisoned::join, Reason.REFUSED);
        }
        assertThat(EffectStore.keys(database)).hasSize(199).doesNotContain("poison");
    }

    @Test
    void an_item_blocked_by_a_foreign_lock_does_not_delay_the_others() throws Exception {
        try (GroupCommitter committer = new GroupCommitter(database, patient())) {
            CompletableFuture<Integer> blocked;
            try (Connection stubborn = lockedByStranger("account-1")) {
                CompletableFuture<Integer> first = underWay(committer);
                assertThat(first).isNotDone();
                blocked = committer.submit(deposit, item("blocked", 1));
                CompletableFuture<Integer> free = committer.submit(deposit, item("free", 2));
                deposit.first.open();

                assertThat(free.get(20, TimeUnit.SECONDS)).isEqualTo(1);
                assertThat(blocked).isNotDone();
                stubborn.rollback();
            }
            assertThat(blocked.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    @Test
    void an_item_blocked_for_long_by_a_foreign_lock_delays_only_one_batch() throws Exception {
        try (GroupCommitter committer = new GroupCommitter(database, LIMITS);
                Connection frozen = lockedByStranger("account-1")) {
            assertDefinite(() -> committer.submit(deposit, item("blocked", 1)).join(), Reason.LOCKED);
            deposit.batches.clear();
            CompletableFuture<Integer> first = underWay(committer);
            CompletableFuture<Integer> again = committer.submit(deposit, item("blocked", 1));
            CompletableFuture<Integer> free = committer.submit(deposit, item("free", 2));
            deposit.first.open();

            assertThat(first.join()).isEqualTo(1);
            assertThat(free.join()).isEqualTo(1);
            assertDefinite(again::join, Reason.LOCKED);
            assertThat(deposit.batches)
                    .containsExactlyInAnyOrder(List.of("first"), List.of("free"), List.of("blocked"));
            frozen.rollback();
            assertThat(committer.submit(deposit, item("blocked", 1)).join()).isEqualTo(1);
        }
    }

    @Test
    void an_item_behind_one_that_waits_for_its_lock_stays_behind_it() throws Exception {
        try (GroupCommitter committer = new GroupCommitter(database, patient());
                Connection stranger = lockedByStranger("account-1")) {
            CompletableFuture<Integer> older = committer.submit(deposit, item("older", 1));
            Eventually.holds("it was tried", () -> !deposit.batches.isEmpty());
            CompletableFuture<Integer> younger = committer.submit(deposit, item("younger", 1));
            assertThat(committer.submit(deposit, item("free", 2)).join()).isEqualTo(1);
            stranger.rollback();

            assertThat(older.join()).isEqualTo(1);
            assertThat(younger.join()).isEqualTo(2);
        }
    }

    @Test
    void a_queue_is_full_of_bytes_before_it_is_full_of_items() {
        Limits small = new Limits(10, 20, 4_000, Duration.ofSeconds(30), 5, Duration.ofSeconds(30));
        try (GroupCommitter committer = new GroupCommitter(database, small)) {
            CompletableFuture<Integer> first = underWay(committer);
            List<CompletableFuture<Integer>> taken = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                taken.add(committer.submit(deposit, item("x".repeat(999) + i, i)));
            }
            assertDefinite(() -> committer.submit(deposit, item("too-much", 5)).join(), Reason.OVERLOADED);
            deposit.first.open();

            assertThat(first.join()).isEqualTo(1);
            taken.forEach(answer -> assertThat(answer.join()).isEqualTo(1));
            assertThat(deposit.batches)
                    .as("no batch carries more than a quarter of that")
                    .hasSize(5);
        }
    }

    @Test
    void an_item_whose_lock_is_never_free_fails_definitely() throws Exception {
        Limits hasty = new Limits(500, 10_000, 64L << 20, Duration.ofMillis(50), 5, Duration.ofSeconds(30));
        try (GroupCommitter committer = new GroupCommitter(database, hasty);
                Connection stranger = lockedByStranger("account-0")) {
            assertDefinite(() -> committer.submit(deposit, item("k", 0)).join(), Reason.LOCKED);
            stranger.rollback();
        }
        assertThat(EffectStore.keys(database)).isEmpty();
    }

    @Test
    void a_silent_database_is_given_up_and_the_next_item_uses_its_replacement() {
        try (TcpProxy proxy = postgres.proxy();
                GroupCommitter committer =
                        new GroupCommitter(TestDatabases.impatient(postgres.proxied(proxy)), Limits.DEFAULT)) {
            committer.submit(deposit, item("before", 3)).join();

            proxy.blackHole();
            CompletableFuture<Integer> lost = committer.submit(deposit, item("lost", 3));
            assertThat(lost).failsWithin(Patience.limit());
            proxy.cut();
            proxy.pass();

            assertThat(committer.submit(deposit, item("after", 3)).join()).isEqualTo(2);
        }
    }

    @Test
    void r17_a_batch_whose_reply_is_lost_is_looked_up_and_applied_once() {
        try (TcpProxy proxy = postgres.proxy();
                GroupCommitter committer = new GroupCommitter(Database.on(postgres.proxied(proxy)), LIMITS)) {
            proxy.onNextCommit(CommitFate.LOSE_REPLY);

            assertThat(committer.submit(deposit, item("k", 3)).join()).isEqualTo(1);

            assertThat(committer.counts().lookUps()).isPositive();
            assertThat(deposit.repeats).containsExactly(false, true);
            assertThat(balance("account-3")).isEqualTo(1);
        }
    }

    @Test
    void a_commit_that_never_arrived_is_made_by_the_look_up() {
        try (TcpProxy proxy = postgres.proxy();
                GroupCommitter committer = new GroupCommitter(Database.on(postgres.proxied(proxy)), LIMITS)) {
            proxy.onNextCommit(CommitFate.CUT_BEFORE);

            assertThat(committer.submit(deposit, item("k", 3)).join()).isEqualTo(1);

            assertThat(balance("account-3")).isEqualTo(1);
        }
    }

    @Test
    void r17_while_a_lost_commit_is_still_in_transit_the_outcome_stays_unknown() {
        Limits hasty = new Limits(500, 10_000, 64L << 20, Duration.ofMillis(50), 2, Duration.ofSeconds(30));
        try (TcpProxy proxy = postgres.proxy();
                GroupCommitter committer = new GroupCommitter(Database.on(postgres.proxied(proxy)), hasty)) {
            proxy.onNextCommit(CommitFate.HOLD);

            assertThatThrownBy(() -> committer.submit(deposit, item("k", 3)).join())
                    .hasCauseInstanceOf(UnknownOutcomeException.class);

            assertThat(proxy.held().getFirst().release()).isTrue();
            assertThat(committer.submit(deposit, item("k", 3)).join()).isEqualTo(1);
            assertThat(balance("account-3")).isEqualTo(1);
        }
    }

    @Test
    void an_unreachable_database_fails_items_definitely_and_serves_them_when_it_is_back() {
        try (TcpProxy proxy = postgres.proxy();
                GroupCommitter committer = new GroupCommitter(Database.on(postgres.proxied(proxy)), LIMITS)) {
            proxy.refuse();
            assertDefinite(() -> committer.submit(deposit, item("k", 3)).join(), Reason.UNAVAILABLE);

            proxy.pass();
            assertThat(committer.submit(deposit, item("k", 3)).join()).isEqualTo(1);
        }
    }

    @Test
    void closing_in_the_middle_of_a_batch_commits_accepted_items_and_refuses_later_ones() throws Exception {
        GroupCommitter committer = new GroupCommitter(database, patient());
        List<CompletableFuture<Integer>> taken = new ArrayList<>();
        CompletableFuture<Void> closing;
        taken.add(underWay(committer));
        for (int i = 1; i < 50; i++) {
            taken.add(committer.submit(deposit, item("k" + i, i)));
        }
        closing = CompletableFuture.runAsync(committer::close);
        Eventually.holds("new items are refused", () -> isRefused(committer));
        deposit.first.open();
        closing.get(30, TimeUnit.SECONDS);

        taken.forEach(answer -> assertThat(answer.join()).isEqualTo(1));
        assertThat(EffectStore.keys(database)).hasSizeGreaterThanOrEqualTo(50);
    }

    @Test
    void a_full_queue_refuses_new_items_and_loses_no_accepted_ones() throws Exception {
        Limits tiny = new Limits(10, 20, 64L << 20, Duration.ofSeconds(30), 5, Duration.ofSeconds(30));
        try (GroupCommitter committer = new GroupCommitter(database, tiny)) {
            List<CompletableFuture<Integer>> taken = new ArrayList<>();
            taken.add(underWay(committer));
            for (int i = 1; i <= 20; i++) {
                taken.add(committer.submit(deposit, item("k" + i, i)));
            }
            assertDefinite(() -> committer.submit(deposit, item("too-much", 21)).join(), Reason.OVERLOADED);
            deposit.first.open();
            taken.forEach(answer -> assertThat(answer.join()).isEqualTo(1));
        }
        assertThat(EffectStore.keys(database)).hasSize(21);
    }

    @Test
    void a_committer_that_dies_before_its_commit_leaves_nothing() {
        CrashAt crash = CrashAt.nth(SqlCrashPoint.BEFORE_COMMIT, 2);
        Database crashing = Database.on(postgres.dataSource(), RandomGenerator.getDefault(), crash);
        GroupCommitter committer = new GroupCommitter(crashing, LIMITS);

        assertThatThrownBy(() -> committer.submit(deposit, item("k", 0)).join())
                .hasCauseInstanceOf(UnknownOutcomeException.class);
        committer.close();

        assertThat(EffectStore.keys(database)).isEmpty();
    }

    @Test
    void a_commit_thread_that_dies_reports_its_batch_as_unknown_and_is_replaced() {
        AtomicInteger commits = new AtomicInteger();
        Database dyingOnce = Database.on(postgres.unpooled(), RandomGenerator.getDefault(), point -> {
            if (point == SqlCrashPoint.AFTER_COMMIT && commits.incrementAndGet() == 2) {
                throw new AssertionError("planted");
            }
        });
        try (GroupCommitter committer = new GroupCommitter(dyingOnce, LIMITS)) {
            assertThatThrownBy(() -> committer.submit(deposit, item("k", 0)).join())
                    .hasCauseInstanceOf(UnknownOutcomeException.class);
            assertThat(committer.submit(deposit, item("later", 0)).join()).isEqualTo(2);
            assertThat(committer.counts().restarts()).isEqualTo(1);
        }
        assertThat(EffectStore.keys(database)).containsExactlyInAnyOrder("k", "later");
    }

    @Test
    void a_committer_that_dies_during_a_look_up_still_answers_every_item() {
        CrashAt crash = CrashAt.nth(SqlCrashPoint.BEFORE_COMMIT, 3);
        try (TcpProxy proxy = postgres.proxy()) {
            Database crashing = Database.on(postgres.proxied(proxy), RandomGenerator.getDefault(), crash);
            GroupCommitter committer = new GroupCommitter(crashing, LIMITS);
            proxy.onNextCommit(CommitFate.LOSE_REPLY);

            assertThatThrownBy(() -> committer
                            .submit(deposit, item("k", 0))
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join())
                    .hasCauseInstanceOf(UnknownOutcomeException.class);
            assertThat(crash.hasCrashed()).isTrue();
        }
        assertThat(EffectStore.keys(database)).containsExactly("k");
    }

    @Test
    void under_random_losses_nothing_acknowledged_is_lost_and_nothing_happens_twice(Randomness random)
            throws Exception {
        History<String> history = new History<>();
        try (TcpProxy proxy = postgres.proxy();
                ExecutorService callers = Executors.newFixedThreadPool(16);
                GroupCommitter committer = new GroupCommitter(Database.on(postgres.proxied(proxy)), LIMITS)) {
            proxy.onCommit(commit -> random.chance(0.2)
                    ? random.oneOf(CommitFate.LOSE_REPLY, CommitFate.CUT_BEFORE)
                    : CommitFate.FORWARD);
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                Deposit.Item item = item(random.chance(0.01) ? "poison" : "k" + i, random.between(0, 299));
                sent.add(callers.submit(() -> send(committer, item, history)));
            }
            for (Future<?> each : sent) {
                each.get();
            }
            proxy.onCommit(CommitPolicy.always(CommitFate.FORWARD));
        }
        history.assertAgreesWith(EffectStore.keys(database));
        assertThat(sumOfBalances()).isEqualTo(EffectStore.keys(database).size());
    }

    private void send(GroupCommitter committer, Deposit.Item item, History<String> history) {
        history.invoked(item.key());
        try {
            committer.submit(deposit, item).join();
            history.acknowledged(item.key());
        } catch (CompletionException e) {
            if (e.getCause() instanceof UnknownOutcomeException) {
                history.unknown(item.key());
            } else {
                history.failed(item.key());
            }
        }
    }

    /** An item whose batch is held until the gate opens, so that items submitted meanwhile queue behind it. */
    private CompletableFuture<Integer> underWay(GroupCommitter committer) {
        CompletableFuture<Integer> first = committer.submit(deposit, item("first", 0));
        deposit.first.awaitArrival();
        return first;
    }

    private static Limits patient() {
        return new Limits(500, 10_000, 64L << 20, Duration.ofSeconds(60), 5, Duration.ofSeconds(60));
    }

    private static Deposit.Item item(String key, int account) {
        return new Deposit.Item(key, "account-" + account);
    }

    private boolean isRefused(GroupCommitter committer) {
        return committer.submit(deposit, item("late", 299)).isCompletedExceptionally();
    }

    private static void assertDefinite(ThrowingCallable call, Reason reason) {
        assertThatThrownBy(call)
                .cause()
                .isInstanceOfSatisfying(
                        DefiniteFailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    private static Connection lockedByStranger(String account) throws SQLException {
        Connection connection = postgres.unpooled().getConnection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1 from account where id = '" + account + "' for update");
        }
        return connection;
    }

    private int balance(String account) {
        return database.transact(
                "balance",
                tx -> tx.first("select balance from account where id = ?", row -> row.getInt("balance"), account)
                        .orElseThrow());
    }

    private int sumOfBalances() {
        return database.transact(
                "sum",
                tx -> tx.first("select sum(balance) as sum from account", row -> row.getInt("sum"))
                        .orElseThrow());
    }
}
