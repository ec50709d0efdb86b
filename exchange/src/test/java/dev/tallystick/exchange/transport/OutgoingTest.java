package dev.tallystick.exchange.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.Party;
import dev.tallystick.exchange.message.MessageId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutgoingTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Address GLOBEX = new Address(Topic.POSTINGS, Party.GLOBEX);
    private static final Address ACME = new Address(Topic.RESULTS, Party.ACME);

    private record Publication(Address address, List<String> messages) {}

    /** Keeps what is published. */
    private static final class Keeping implements Transport {

        private final BlockingQueue<Publication> published = new LinkedBlockingQueue<>();

        @Override
        public void publish(Address address, List<byte[]> messages) {
            published.add(new Publication(
                    address,
                    messages.stream().map(each -> new String(each, UTF_8)).toList()));
        }

        @Override
        public boolean receive(Address address, int max, Duration wait, Receiver receiver) {
            return false;
        }

        @Override
        public void close() {}
    }

    private final Keeping transport = new Keeping();
    private final Outgoing outgoing = new Outgoing(transport, "test", CrashPoints.NONE);

    @AfterEach
    void close() {
        outgoing.close();
    }

    @Test
    void a_message_without_haste_travels_with_the_next_one_to_the_same_address() throws Exception {
        outgoing.sendWithin(LONG, GLOBEX, id("1"), text("acknowledgement 1"));
        outgoing.sendWithin(LONG, ACME, id("2"), text("result 2"));
        outgoing.send(GLOBEX, id("3"), text("posting 3"));

        assertThat(next()).isEqualTo(new Publication(GLOBEX, List.of("acknowledgement 1", "posting 3")));
        assertThat(transport.published).isEmpty();
    }

    @Test
    void a_message_that_may_be_replaced_stays_when_others_leave() throws Exception {
        outgoing.sendAfter(LONG, ACME, id("1"), text("receipt 1"));
        outgoing.send(ACME, id("2"), text("result 2"));

        assertThat(next()).isEqualTo(new Publication(ACME, List.of("result 2")));
        outgoing.send(ACME, id("1"), text("result 1"));
        assertThat(next()).isEqualTo(new Publication(ACME, List.of("result 1")));
    }

    @Test
    void a_message_leaves_by_itself_after_its_time() throws Exception {
        outgoing.sendWithin(LONG, ACME, id("1"), text("result 1"));
        outgoing.sendAfter(Duration.ofMillis(1), GLOBEX, id("2"), text("receipt 2"));

        assertThat(next()).isEqualTo(new Publication(GLOBEX, List.of("receipt 2")));
    }

    @Test
    void closing_sends_all_that_waits() throws Exception {
        outgoing.sendWithin(LONG, ACME, id("1"), text("result 1"));
        outgoing.sendAfter(LONG, ACME, id("2"), text("receipt 2"));
        outgoing.close();

        assertThat(next()).isEqualTo(new Publication(ACME, List.of("result 1", "receipt 2")));
    }

    private Publication next() throws InterruptedException {
        return transport.published.poll(1, TimeUnit.MINUTES);
    }

    private static MessageId id(String value) {
        return new MessageId(value);
    }

    private static Supplier<byte[]> text(String value) {
        return () -> value.getBytes(UTF_8);
    }
}
