package dev.tallystick.broker.accept;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.keys.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class BatchPlacesTest {

    private final BatchPlaces places = new BatchPlaces(Duration.ZERO);

    private static Scope member(int mesh, int number) {
        return new Scope("mesh" + mesh, "member" + number);
    }

    /** Takes as many places as there are for a member. */
    private int taken(Scope member) {
        int number = 0;
        while (places.take(member).isPresent()) {
            number++;
        }
        return number;
    }

    @Test
    void a_member_a_mesh_and_all_together_have_their_limits() {
        assertThat(taken(member(1, 1))).isEqualTo(BatchPlaces.OF_A_MEMBER);
        assertThat(taken(member(1, 2))).isEqualTo(BatchPlaces.OF_A_MESH - BatchPlaces.OF_A_MEMBER);
        assertThat(taken(member(1, 3))).isZero();
        assertThat(taken(member(2, 1))).as("another mesh").isEqualTo(BatchPlaces.OF_A_MEMBER);
        assertThat(taken(member(3, 1))).isEqualTo(BatchPlaces.OF_ALL - BatchPlaces.OF_A_MESH - BatchPlaces.OF_A_MEMBER);
        assertThat(taken(member(4, 1))).isZero();
    }

    @Test
    void a_place_that_is_left_is_given_to_one_that_waits() throws Exception {
        BatchPlaces patient = new BatchPlaces(Duration.ofMinutes(1));
        List<BatchPlaces.Place> held = new ArrayList<>();
        for (int i = 0; i < BatchPlaces.OF_A_MEMBER; i++) {
            held.add(patient.take(member(1, 1)).orElseThrow());
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Optional<BatchPlaces.Place>> waiting = threads.submit(() -> patient.take(member(1, 1)));
            held.getFirst().close();

            assertThat(waiting.get()).isPresent();
        }
    }
}
