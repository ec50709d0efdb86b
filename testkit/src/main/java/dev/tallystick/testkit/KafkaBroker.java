package dev.tallystick.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/** A Kafka broker in this process, with its files in a directory that is deleted with it. Needs {@code kafka_2.13}. */
public final class KafkaBroker implements AutoCloseable {

    private final KafkaRaftServer server;
    private final String address;
    private final Path directory;

    private KafkaBroker(KafkaRaftServer server, String address, Path directory) {
        this.server = server;
        this.address = address;
        this.directory = directory;
    }

    public static KafkaBroker start() throws IOException {
        Path directory = Files.createTempDirectory("kafka-");
        String clients = "127.0.0.1:" + freePort();
        String controllers = "127.0.0.1:" + freePort();
        Properties settings = new Properties();
        settings.putAll(Map.ofEntries(
                Map.entry("process.roles", "broker,controller"),
                Map.entry("node.id", "1"),
                Map.entry("controller.quorum.voters", "1@" + controllers),
                Map.entry("controller.listener.names", "CONTROLLER"),
                Map.entry("listeners", "PLAINTEXT://" + clients + ",CONTROLLER://" + controllers),
                Map.entry("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
                Map.entry("log.dirs", directory.resolve("logs").toString()),
                Map.entry("num.partitions", "2"),
                Map.entry("offsets.topic.num.partitions", "1"),
                Map.entry("offsets.topic.replication.factor", "1"),
                Map.entry("transaction.state.log.replication.factor", "1"),
                Map.entry("transaction.state.log.min.isr", "1"),
                Map.entry("share.coordinator.state.topic.replication.factor", "1"),
                Map.entry("share.coordinator.state.topic.min.isr", "1"),
                Map.entry("group.initial.rebalance.delay.ms", "0")));
        Path file = directory.resolve("server.properties");
        try (OutputStream out = Files.newOutputStream(file)) {
            settings.store(out, null);
        }
        String[] format = {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()};
        if (StorageTool.execute(format, new PrintStream(OutputStream.nullOutputStream())) != 0) {
            throw new IOException("cannot format the storage of Kafka");
        }
        KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM);
        server.startup();
        return new KafkaBroker(server, clients, directory);
    }

    public String address() {
        return address;
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
