package dev.tallystick.testkit;

import static dev.tallystick.testkit.KeyWriter.Habit.ACKNOWLEDGES_AFTER_COMMIT;
import static dev.tallystick.testkit.KeyWriter.Habit.ACKNOWLEDGES_BEFORE_COMMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.testkit.History.FailedYetPresent;
import dev.tallystick.testkit.History.Lost;
import dev.tallystick.testkit.History.Repeated;
import dev.tallystick.testkit.History.Violation;
import dev.tallystick.testkit.KeyWriter.Habit;
import dev.tallystick.testkit.KeyWriter.Point;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The testkit applied to a small store: it finds each planted bug, and no fault in the sound version. */
@ExtendWith(Seeded.class)
class PlantedBugTest {

    private static final int THREADS = 4;
    private static final int KEYS_EACH = 10;

    /** Every fate comes early, so that a bug is found for certain; after that they are random. */
    private static final List<CommitFate> FIRST_FATES =
            List.of(CommitFate.FORWARD, CommitFate.LOSE_REPLY, CommitFate.CUT_BEFORE, CommitFate.HOLD);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest().prepared("written", KeyWriter::createTable);

    private final List<String> told = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @EnumSource
    void lost_replies_cuts_and_late_commits_reveal_a_planted_bug(Habit habit, Randomness random) throws SQLException {
        try (TcpProxy proxy = postgres.proxy()) {
            TreeMap<CommitFate, Integer> weights = new TreeMap<>(Map.of(
                    CommitFate.FORWARD, 5, CommitFate.LOSE_REPLY, 2, CommitFate.CUT_BEFORE, 2, CommitFate.HOLD, 1));
            proxy.onCommit(commit -> commit.ordinal() <= FIRST_FATES.size()
                    ? FIRST_FATES.get((int) commit.ordinal() - 1)
                    : random.weighted(weights));
            writeOnManyThreads(new KeyWriter(postgres.proxied(proxy), habit, CrashPoints.NONE, told::add));
            for (HeldCommit late : proxy.held()) {
                if (random.nextBoolean()) {
                    late.release();
                }
            }
        }
        List<Violation<String>> violations = violations(told);
        switch (habit) {
            case ACKNOWLEDGES_AFTER_COMMIT -> assertThat(violations).isEmpty();
            case ACKNOWLEDGES_BEFORE_COMMIT -> assertThat(violations).hasAtLeastOneElementOfType(Lost.class);
            case TAKES_A_LOST_REPLY_FOR_A_FAILURE ->
                assertThat(violations).hasAtLeastOneElementOfType(FailedYetPresent.class);
            case WRITES_AGAIN_AFTER_A_LOST_REPLY -> assertThat(violations).hasAtLeastOneElementOfType(Repeated.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ACKNOWLEDGES_AFTER_COMMIT", "ACKNOWLEDGES_BEFORE_COMMIT"})
    void a_simulated_crash_at_each_point_reveals_an_early_acknowledgement(Habit habit) throws SQLException {
        CrashCoverage<Point> coverage = CrashCoverage.of(Point.class);
        for (Point point : Point.values()) {
            KeyWriter dying = writer(habit, coverage.counting(CrashAt.nth(point, 2)));
            dying.write(point + " 1");
            assertThatThrownBy(() -> dying.write(point + " 2")).isInstanceOf(SimulatedCrash.class);
            writer(habit, CrashPoints.NONE).write(point + " 3");
        }
        coverage.assertComplete();
        assertOnlyTheEarlyOneLoses(habit, "WRITTEN 2", told);
    }

    @ParameterizedTest
    @EnumSource(names = {"ACKNOWLEDGES_AFTER_COMMIT", "ACKNOWLEDGES_BEFORE_COMMIT"})
    void a_child_that_halts_before_its_commit_reveals_an_early_acknowledgement(Habit habit) throws SQLException {
        try (ChildJvm child =
                ChildJvm.of(KeyWriter.Endless.class).haltingAt(Point.WRITTEN, 3).start(postgres.url(), habit.name())) {
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
            assertOnlyTheEarlyOneLoses(habit, "3", child.lines());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ACKNOWLEDGES_AFTER_COMMIT", "ACKNOWLEDGES_BEFORE_COMMIT"})
    void a_kill_while_its_commit_is_in_transit_reveals_an_early_acknowledgement(Habit habit) throws SQLException {
        try (TcpProxy proxy = postgres.proxy();
                ChildJvm child = ChildJvm.of(KeyWriter.Endless.class).start(postgres.url(proxy), habit.name())) {
            proxy.onCommit(commit -> {
                if (commit.ordinal() < 3) {
                    return CommitFate.FORWARD;
                }
                child.kill();
                return CommitFate.CUT_BEFORE;
            });
            assertThat(child.awaitExit()).isEqualTo(128 + 9);
            assertOnlyTheEarlyOneLoses(habit, "3", child.lines());
        }
    }

    @Test
    void a_kill_at_any_moment_does_not_harm_the_correct_store() throws SQLException {
        try (ChildJvm child =
                ChildJvm.of(KeyWriter.Endless.class).start(postgres.url(), ACKNOWLEDGES_AFTER_COMMIT.name())) {
            child.awaitLine("acknowledged 20"::equals);
            child.kill();
            History.ofLines(child.lines()).assertAgreesWith(KeyWriter.present(postgres.dataSource()));
        }
    }

    private void assertOnlyTheEarlyOneLoses(Habit habit, String key, List<String> lines) throws SQLException {
        assertThat(violations(lines))
                .isEqualTo(habit == ACKNOWLEDGES_BEFORE_COMMIT ? List.of(new Lost<>(key)) : List.of());
    }

    private static List<Violation<String>> violations(List<String> lines) throws SQLException {
        return History.ofLines(lines).violations(KeyWriter.present(postgres.dataSource()));
    }

    private KeyWriter writer(Habit habit, CrashPoints points) {
        return new KeyWriter(postgres.dataSource(), habit, points, told::add);
    }

    private static void writeOnManyThreads(KeyWriter writer) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                threads.execute(() -> {
                    for (int key = 0; key < KEYS_EACH; key++) {
                        writer.write(number + "/" + key);
                    }
                });
            }
        }
    }
}
