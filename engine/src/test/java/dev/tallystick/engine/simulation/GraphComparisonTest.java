package dev.tallystick.engine.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Random graphs against a reference interpreter. {@code -Dtally.graphs=} sets their number, {@code -Dtally.graphs.minutes=} the
 * length of the campaign.
 */
@ExtendWith(Seeded.class)
class GraphComparisonTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final int GRAPHS = Integer.getInteger("tally.graphs", 25);
    private static final Duration CAMPAIGN = Duration.ofMinutes(Integer.getInteger("tally.graphs.minutes", 60));

    @Test
    void random_graphs_do_what_the_reference_says(Randomness random) {
        int[] left = {GRAPHS};
        compare(random, () -> left[0]-- > 0);
    }

    @Test
    @Tag("campaign")
    void random_graphs_do_what_the_reference_says_for_an_hour(Randomness random) {
        long end = System.nanoTime() + CAMPAIGN.toNanos();
        compare(random, () -> System.nanoTime() < end);
    }

    private static void compare(Randomness random, BooleanSupplier more) {
        System.out.println("comparing graphs from seed " + random.seed());
        try (GraphComparison comparison = new GraphComparison(postgres.dataSource())) {
            AtomicLong seed = new AtomicLong(random.seed());
            comparison.compare(() ->
                    more.getAsBoolean() ? OptionalLong.of(seed.getAndSet(random.nextLong())) : OptionalLong.empty());
            System.out.println("compared " + comparison.summary());
            assertThat(comparison.wrong()).isEmpty();
            assertThat(comparison.violations()).isEmpty();
        }
    }
}
