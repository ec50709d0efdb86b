package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Workflow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of the guide to testing workflows. */
class TestGuideTest {

    interface Bank {
        String charge(String order, String key);
    }

    record OrderWorkflow(Bank bank, Retry retry) implements Workflow<String, String> {
        @Override
        public String run(Context ctx, String order) {
            String receipt = ctx.step("charge", String.class, retry, () -> bank.charge(order, ctx.key()));
            String parcel = ctx.await("shipped", String.class);
            return receipt + ", sent as " + parcel;
        }
    }

    private static final Retry AT_ONCE = Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(1));

    private static Tallystick start(Path directory, Bank bank) {
        Tallystick tally = Tallystick.builder().embedded(directory).build();
        tally.register("order", String.class, String.class, new OrderWorkflow(bank, AT_ONCE));
        tally.start();
        return tally;
    }

    @Test
    void an_order_is_charged_once_across_a_failure_and_a_restart(@TempDir Path directory) throws Exception {
        List<String> keys = new CopyOnWriteArrayList<>();
        CountDownLatch charged = new CountDownLatch(1);
        Bank bank = (order, key) -> {
            keys.add(key);
            if (keys.size() == 1) {
                throw new IllegalStateException("the line is busy");
            }
            charged.countDown();
            return "charged " + order;
        };

        JobId id;
        try (Tallystick tally = start(directory, bank)) {
            id = tally.submit("order", "42", Submit.key("order:42")).id();
            charged.await();
        }
        try (Tallystick tally = start(directory, bank)) {
            JobHandle<String> job = tally.job(id, String.class);
            job.signal("shipped", "parcel-7", "parcel 7");
            assertThat(job.result(Duration.ofSeconds(30))).isEqualTo("charged 42, sent as parcel 7");
        }
        assertThat(keys).hasSize(2).containsOnly(keys.getFirst());
    }
}
