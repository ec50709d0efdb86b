package dev.tallystick.exchange.transport.kafka;

import dev.tallystick.exchange.TransportContract;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.testkit.KafkaBroker;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** The contract, on a broker in this process. */
class KafkaTransportTest extends TransportContract {

    private static KafkaBroker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaBroker.start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Override
    public Transport open(String self) {
        return new KafkaTransport(Map.of("bootstrap.servers", broker.address()));
    }

    /** Messages of one test must not reach the next. */
    @AfterEach
    @Override
    public void wipe() {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            admin.deleteTopics(admin.listTopics().names().get()).all().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
