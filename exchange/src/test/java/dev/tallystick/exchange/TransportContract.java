package dev.tallystick.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.exchange.books.DatabaseBooks;
import dev.tallystick.exchange.books.Reconciliation;
import dev.tallystick.exchange.books.View;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.Topic;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What every transport must do, and what the exchange must do on every transport, however bad it is. */
@ExtendWith(Seeded.class)
public abstract class TransportContract {

    private static final int POSTINGS = 60;
    private static final Duration WAIT = Duration.ofMillis(100);

    @RegisterExtension
    public static final TestPostgres acmes = Party.postgres();

    @RegisterExtension
    public static final TestPostgres globexs = Party.postgres();

    /** One end of the transport, on a connection of its own. */
    public abstract Transport open(String self);

    /** Loses everything that is on its way; restarts what can be restarted. */
    public abstract void wipe();

    @Test
    void messages_arrive_unchanged() {
        Address address = new Address(Topic.POSTINGS, Party.GLOBEX);
        byte[] first = {0, 1, -1};
        byte[] second = new byte[100_000];
        try (Transport sender = open("sender");
                Transport receiver = open("receiver")) {
            List<byte[]> received = receiving(receiver, address);
            assertThat(received).isEmpty();
            sender.publish(address, List.of(first, second));

            awaitMore(receiver, address, received, 2);
            assertThat(received).containsExactlyInAnyOrder(first, second);
        }
    }

    @Test
    void subjects_and_topics_are_separate() {
        Address postings = new Address(Topic.POSTINGS, Party.GLOBEX);
        Address others = new Address(Topic.POSTINGS, Party.ACME);
        Address results = new Address(Topic.RESULTS, Party.GLOBEX);
        try (Transport transport = open("both")) {
            receiving(transport, postings);
            receiving(transport, others);
            receiving(transport, results);
            transport.publish(results, List.of(new byte[] {1}));
            transport.publish(others, List.of(new byte[] {2}));

            List<byte[]> received = new ArrayList<>();
            awaitMore(transport, results, received, 1);
            assertThat(received).containsExactly(new byte[] {1});
            assertThat(receiving(transport, postings)).isEmpty();
        }
    }

    @Test
    void messages_that_were_not_recorded_arrive_again() {
        Address address = new Address(Topic.RESULTS, Party.ACME);
        List<byte[]> failed = new ArrayList<>();
        try (Transport transport = open("both")) {
            receiving(transport, address);
            transport.publish(address, List.of(new byte[] {7}));

            Eventually.holds("a receiver fails", () -> {
                try {
                    transport.receive(address, 100, WAIT, messages -> {
                        failed.addAll(messages);
                        throw new IllegalStateException("not recorded");
                    });
                } catch (RuntimeException e) {
                    return !failed.isEmpty();
                }
                return false;
            });
            List<byte[]> received = new ArrayList<>();
            awaitMore(transport, address, received, 1);
            assertThat(received.getFirst()).containsExactly(7);
        }
    }

    @Test
    void every_posting_ends_on_both_sides_whatever_is_lost_repeated_reordered_or_delayed(Randomness random) {
        FaultyTransport bad = new FaultyTransport(open("acme"), random.split());
        FaultyTransport worse = new FaultyTransport(open("globex"), random.split());
        try (bad;
                worse;
                Party acme = Party.acme(acmes.dataSource());
                Party globex = Party.globex(globexs.dataSource())) {
            globex.consuming(worse);
            Producer producer = acme.producing(bad, Party.FAST);
            post(producer, POSTINGS);

            awaitSettled(acme, globex);
            assertBooks(acme, globex, POSTINGS);
        }
    }

    @Test
    void a_transport_that_loses_its_storage_in_mid_run_loses_no_posting() {
        try (Transport ours = open("acme");
                Transport theirs = open("globex");
                Party acme = Party.acme(acmes.dataSource());
                Party globex = Party.globex(globexs.dataSource())) {
            Producer producer = acme.producing(ours, Party.FAST);
            post(producer, POSTINGS / 2);
            wipe();
            globex.consuming(theirs);
            for (int i = POSTINGS / 2; i < POSTINGS; i++) {
                Producer.join(producer.post(Party.order("order-" + i)));
            }
            wipe();

            awaitSettled(acme, globex);
            assertBooks(acme, globex, POSTINGS);
        }
    }

    private static List<byte[]> receiving(Transport transport, Address address) {
        List<byte[]> received = new ArrayList<>();
        transport.receive(address, 100, WAIT, received::addAll);
        return received;
    }

    private static void awaitMore(Transport transport, Address address, List<byte[]> received, int number) {
        Eventually.holds("messages to arrive", () -> {
            received.addAll(receiving(transport, address));
            return received.size() >= number;
        });
    }

    static void post(Producer producer, int number) {
        for (int i = 0; i < number; i++) {
            String content = i % 10 == 3 ? Party.REFUSED + i : "order " + i;
            Producer.join(producer.post(Party.order("order-" + i, content)));
        }
    }

    public static void awaitSettled(Party acme, Party globex) {
        Eventually.holds("nothing is open at acme", () -> acme.open() == 0);
        Eventually.holds("nothing is open at globex", () -> globex.open() == 0);
    }

    /** Both sides have every posting with the same outcome, each effect happened once, and both trails are complete. */
    static void assertBooks(Party acme, Party globex, int postings) {
        List<View> posted = acme.records().list(true, postings + 1);
        List<View> received = globex.records().list(true, postings + 1);
        assertThat(posted).hasSize(postings).allSatisfy(view -> {
            assertThat(view.status().ack().name()).isEqualTo("ACKED_RESULT");
            assertThat(view.audit()).first().asString().contains(" acme/", "recorded");
            assertThat(view.audit())
                    .last()
                    .asString()
                    .contains("result " + view.status().processing() + " recorded");
        });
        assertThat(received).hasSize(postings).allSatisfy(view -> {
            assertThat(view.status().ack().name()).isEqualTo("ACKED_RESULT");
            assertThat(view.audit()).first().asString().contains(" globex/", "received");
            assertThat(view.audit()).anySatisfy(line -> assertThat(line).contains("handled, "));
            assertThat(view.audit()).last().asString().contains("result acknowledged");
        });
        List<String> handled = received.stream()
                .filter(view -> view.status().processing().name().equals("OK"))
                .map(View::id)
                .toList();
        assertThat(globex.effects()).containsExactlyInAnyOrderElementsOf(handled);
        assertThat(difference(acme.database(), globex.database()).differences()).isEmpty();
        assertThat(acme.openIssues()).isEmpty();
        assertThat(globex.openIssues()).isEmpty();
    }

    public static Reconciliation difference(Database acme, Database globex) {
        return Reconciliation.between(
                DatabaseBooks.ofProducer(acme, Party.ACME, Party.GLOBEX),
                DatabaseBooks.ofConsumer(globex, Party.ACME, Party.GLOBEX));
    }

    static MessageId id(int i) {
        return new MessageId("order-" + i);
    }
}
