package dev.tallystick.log.witness;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tallystick.log.Logs;
import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.Policy;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.testkit.Signal;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cosignatures are collected from witnesses that may be slow, gone or hostile. */
class WitnessesTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @TempDir
    Path scratch;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T open(T resource) {
        opened.push(resource);
        return resource;
    }

    private static NoteSigner signer(int number) {
        return NoteSigner.of(
                "witness.example/w" + number,
                VerifierKey.Type.COSIGNATURE,
                Hash.sha256(new byte[] {7, (byte) number}).bytes());
    }

    /** An honest witness over HTTP. */
    private String honest(int number) throws IOException {
        Witness witness = new Witness(
                scratch.resolve("witness" + number),
                signer(number),
                Map.of(Logs.ORIGIN, List.of(Logs.SIGNER.key())),
                InstantSource.fixed(NOW));
        return open(WitnessServer.start(witness, 0)).address().toString();
    }

    /** A server that answers every request alike. */
    private String answering(int status, byte[] body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
        opened.push(() -> server.stop(0));
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** The policy wants this many of the witnesses at these addresses. */
    private Witnesses witnesses(int quorum, String... addresses) {
        StringBuilder file = new StringBuilder();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < addresses.length; i++) {
            names.add("w" + i);
            file.append("witness w%d %s %s\n".formatted(i, signer(i).key(), addresses[i]));
        }
        file.append("group all-of-them %d %s\nquorum all-of-them\n".formatted(quorum, String.join(" ", names)));
        return open(new Witnesses(Policy.parse(file.toString().getBytes(UTF_8)), Duration.ofSeconds(20)));
    }

    private static Witnesses.Round ask(Witnesses witnesses, LogSnapshot log) throws InterruptedException {
        return witnesses.ask(log, log.checkpoint().orElseThrow(), quorum -> {});
    }

    @Test
    void witnesses_cosign_a_log_as_it_grows_and_a_late_one_catches_up() throws Exception {
        Logs logs = open(Logs.in(scratch.resolve("log")));
        logs.sealSecret();
        String first = honest(0);
        String second = honest(1);
        Witnesses one = witnesses(1, first);
        assertThat(ask(one, logs.log.snapshot()).hasQuorum()).isTrue();
        logs.sealJobs(0, 300);
        assertThat(ask(one, logs.log.snapshot()).hasQuorum()).isTrue();

        Witnesses both = witnesses(2, first, second);
        Witnesses.Round round = ask(both, logs.log.snapshot());

        assertThat(round.answers().values()).allMatch(Cosigning.Cosigned.class::isInstance);
        assertThat(round.hasQuorum()).isTrue();
        assertThat(round.checkpoint().cosignedAt(signer(0).key())).contains(NOW);
        assertThat(round.checkpoint().cosignedAt(signer(1).key())).contains(NOW);
        assertThat(round.checkpoint().isSignedBy(Logs.SIGNER.key())).isTrue();
        Witnesses.Round again = both.ask(logs.log.snapshot(), round.checkpoint(), quorum -> {});
        assertThat(again.checkpoint().signatures()).hasSize(3);
        HttpClient http = open(HttpClient.newHttpClient());
        URI shown = URI.create(second + "/" + Witness.originHash(Logs.ORIGIN) + "/checkpoint");
        String body = http.send(HttpRequest.newBuilder(shown).build(), BodyHandlers.ofString())
                .body();
        assertThat(SignedNote.parse(body).cosignedAt(signer(1).key())).contains(NOW);
    }

    @Test
    void a_split_view_gets_no_cosignature_of_a_witness_that_saw_the_other_one() throws Exception {
        Logs shown = open(Logs.in(scratch.resolve("shown")));
        shown.sealSecret();
        shown.sealJobs(0, 3);
        Logs hidden = open(Logs.in(scratch.resolve("hidden")));
        hidden.sealSecret();
        hidden.sealJobs(10, 3);
        Witnesses witnesses = witnesses(1, honest(0));
        assertThat(ask(witnesses, shown.log.snapshot()).hasQuorum()).isTrue();

        Witnesses.Round other = ask(witnesses, hidden.log.snapshot());
        assertThat(other.hasQuorum()).isFalse();
        assertThat(other.answers().values()).allMatch(Cosigning.Contradicted.class::isInstance);
        assertThat(other.checkpoint().signatures()).hasSize(1);
        hidden.sealJobs(20, 300);
        assertThat(ask(witnesses, hidden.log.snapshot()).answers().values())
                .allMatch(Cosigning.Contradicted.class::isInstance);
        assertThat(ask(witnesses, shown.log.snapshot()).hasQuorum()).isTrue();
    }

    @Test
    void a_log_that_was_rolled_back_is_contradicted() throws Exception {
        Logs logs = open(Logs.in(scratch.resolve("log")));
        logs.sealSecret();
        LogSnapshot old = logs.log.snapshot();
        logs.sealJobs(0, 3);
        Witnesses witnesses = witnesses(1, honest(0));
        assertThat(ask(witnesses, logs.log.snapshot()).hasQuorum()).isTrue();

        assertThat(ask(witnesses, old).answers().values())
                .first()
                .isInstanceOfSatisfying(
                        Cosigning.Contradicted.class,
                        contradicted ->
                                assertThat(contradicted.why()).contains("it has cosigned size " + logs.log.size()));
    }

    @Test
    void a_quorum_does_not_wait_for_a_witness_that_never_answers() throws Exception {
        Logs logs = open(Logs.in(scratch.resolve("log")));
        logs.sealSecret();
        Signal ended = new Signal("the end of the test");
        HttpServer silent = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        silent.createContext("/", exchange -> ended.await());
        silent.start();
        opened.push(() -> {
            ended.fire();
            silent.stop(0);
        });
        Witnesses witnesses = witnesses(
                1, honest(0), "http://127.0.0.1:" + silent.getAddress().getPort());
        Signal quorum = new Signal("a quorum");
        LogSnapshot log = logs.log.snapshot();
        Thread asking = Thread.ofVirtual().start(() -> {
            try {
                witnesses.ask(log, log.checkpoint().orElseThrow(), note -> quorum.fire());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        quorum.await();

        assertThat(asking.isAlive()).as("still waiting for the silent one").isTrue();
        asking.interrupt();
        asking.join();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no signature\n",
                "— witness.example/w0 AAAAAAAA\n",
                "— witness.example/w0\n",
                "— log.example/tally AAAAAAAA\n",
                "-1\n",
                "99999999999999999999999\n"
            })
    void a_hostile_answer_brings_nothing_whatever_its_status(String body) throws Exception {
        Logs logs = open(Logs.in(scratch.resolve("log")));
        logs.sealSecret();
        for (int status : new int[] {200, 204, 302, 400, 409, 422, 500}) {
            Witnesses.Round round = ask(witnesses(1, answering(status, body.getBytes(UTF_8))), logs.log.snapshot());
            assertThat(round.hasQuorum()).isFalse();
            assertThat(round.checkpoint()).isEqualTo(logs.log.checkpoint().orElseThrow());
        }
    }

    @Test
    void a_cosignature_of_another_checkpoint_or_key_is_not_taken() throws Exception {
        Logs logs = open(Logs.in(scratch.resolve("log")));
        logs.sealSecret();
        LogSnapshot old = logs.log.snapshot();
        logs.sealJobs(0, 3);
        Checkpoint older = Checkpoint.parse(old.checkpoint().orElseThrow().text());
        Checkpoint newer = Checkpoint.parse(logs.log.checkpoint().orElseThrow().text());
        for (String line : List.of(
                signer(0).cosign(older, NOW).line() + "\n",
                signer(1).cosign(newer, NOW).line() + "\n")) {
            Witnesses.Round round = ask(witnesses(1, answering(200, line.getBytes(UTF_8))), logs.log.snapshot());
            assertThat(round.answers().values()).allMatch(Cosigning.Refused.class::isInstance);
        }
    }

    @Test
    void an_endless_answer_is_cut_off() throws Exception {
        Logs logs = open(Logs.in(scratch.resolve("log")));
        logs.sealSecret();
        byte[] endless = "x".repeat(8 * WitnessClient.LONGEST_ANSWER).getBytes(UTF_8);

        assertThat(ask(witnesses(1, answering(200, endless)), logs.log.snapshot())
                        .answers()
                        .values())
                .first()
                .isInstanceOfSatisfying(
                        Cosigning.Refused.class,
                        refused -> assertThat(refused.why()).contains("more than"));
    }

    @Test
    void an_address_that_is_not_one_of_http_is_refused() {
        assertThatThrownBy(() -> witnesses(1, "file:///etc/passwd"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("w0");
    }
}
