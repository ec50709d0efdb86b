package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class IdsTest {

    private static final Seed SEED = Seed.orDefault(9562);
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00.123Z");

    @Test
    void an_id_is_a_uuid_of_version_7_that_holds_its_time() {
        UUID id = new Ids(InstantSource.fixed(NOON), SEED.random()).next();

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(Ulid.of(id).instant()).isEqualTo(NOON);
    }

    @Test
    void ids_rise_while_the_clock_stands_still() {
        assertRising(new Ids(InstantSource.fixed(NOON), SEED.random()), 10_000);
    }

    @Test
    void ids_rise_while_the_clock_jumps_back_and_forth() {
        RandomGenerator jumps = SEED.random();
        InstantSource clock = () -> NOON.plusMillis(jumps.nextInt(-100_000, 100_000));
        assertRising(new Ids(clock, SEED.random()), 10_000);
    }

    @Test
    void ids_rise_even_when_the_random_part_overflows() {
        Ids ids = new Ids(InstantSource.fixed(NOON), onlyOnes());
        String first = ids.next().toString();
        String second = ids.next().toString();

        assertThat(first).endsWith("-7fff-bfff-ffffffffffff");
        assertThat(second).isGreaterThan(first);
        assertThat(Ulid.of(UUID.fromString(second)).instant()).isEqualTo(NOON.plusMillis(1));
    }

    @Test
    void the_same_order_holds_for_uuids_their_text_and_their_ulids() {
        Ids ids = new Ids(InstantSource.fixed(NOON), SEED.random());
        UUID earlier = ids.next();
        UUID later = ids.next();

        assertThat(earlier).isLessThan(later);
        assertThat(earlier.toString()).isLessThan(later.toString());
        assertThat(Ulid.of(earlier)).isLessThan(Ulid.of(later));
        assertThat(Ulid.of(earlier).toString()).isLessThan(Ulid.of(later).toString());
    }

    @Test
    void threads_never_share_an_id() throws InterruptedException, ExecutionException {
        Ids ids = new Ids(InstantSource.fixed(NOON), SEED.random());
        Set<UUID> all = new HashSet<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<List<UUID>>> made = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                made.add(threads.submit(
                        () -> Stream.generate(ids::next).limit(1_000).toList()));
            }
            for (Future<List<UUID>> some : made) {
                assertThat(some.get()).isSorted();
                all.addAll(some.get());
            }
        }
        assertThat(all).hasSize(8_000);
    }

    @Test
    void a_clock_before_1970_counts_as_1970_and_one_past_the_last_millisecond_is_refused() {
        Ids early = new Ids(InstantSource.fixed(Instant.EPOCH.minusSeconds(5)), SEED.random());
        assertThat(early.nextUlid().instant()).isEqualTo(Instant.EPOCH);

        Ids late = new Ids(InstantSource.fixed(Instant.ofEpochMilli(1L << 48)), SEED.random());
        assertThatIllegalStateException().isThrownBy(late::next);
    }

    private static void assertRising(Ids ids, int count) {
        String last = "";
        for (int i = 0; i < count; i++) {
            String next = ids.next().toString();
            assertThat(next).as("%s, id %s", SEED, i).isGreaterThan(last);
            last = next;
        }
    }

    private static RandomGenerator onlyOnes() {
        return () -> -1L;
    }
}
