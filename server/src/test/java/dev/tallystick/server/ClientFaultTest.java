package dev.tallystick.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Draft;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.HttpTransport;
import dev.tallystick.server.FaultyCalls.Repeat;
import dev.tallystick.server.FaultyCalls.Row;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every call of the SDK and everything that can happen to it on its way. What a call says is never wrong: what it says has
 * happened is seen on the server, and what may have happened is said to be unknown.
 */
class ClientFaultTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final Path DOCUMENT = Path.of("..", "docs", "client-faults.md");
    private static final Duration LONG = Duration.ofSeconds(6);
    private static final Duration SHORT = Duration.ofMillis(600);
    private static final int AT_ONCE = 16;
    private static final int ALWAYS = Integer.MAX_VALUE;

    /** Every fault is seen by one call in so many, in a run that is not a campaign. */
    private static final int SAMPLE = 8;

    /** The calls that are tried with every fault for good: one of each kind, and those that were believed too much. */
    private static final Set<String> TELLING =
            Set.of("submit", "keys.once", "topics.delete", "tokens.issue", "jobs.find");

    private static final Participant GLOBEX = new Participant("globex");

    private static HttpServer partner;
    private static ServerUnderTest server;
    private static TallyClient direct;
    private static FaultyCalls calls;

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** What a call comes to. */
    enum Outcome {
        /** The answer of the first attempt is definite. */
        DEFINITE,
        /** The answer of a later attempt is. */
        RETRIED,
        /** It may have happened, and the client says so. */
        UNKNOWN,
        /** Nothing can have happened, and the client says so. */
        UNAVAILABLE,
        /** The client says that nothing happened although it may have. */
        REFUSED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Cell(Row row, Fault fault, int times) {

        Outcome expected() {
            return ClientFaultTest.expected(row.repeat(), fault, times);
        }

        @Override
        public String toString() {
            return row.call() + " × " + fault + (times == ALWAYS ? " for good" : "");
        }
    }

    private static Outcome expected(Repeat repeat, Fault fault, int times) {
        if (fault.isHarmless()) {
            return Outcome.DEFINITE;
        }
        if (times == ALWAYS) {
            return repeat == Repeat.READS ? Outcome.UNAVAILABLE : Outcome.UNKNOWN;
        }
        boolean isLost = repeat == Repeat.TWICE || (repeat == Repeat.GONE && fault.reaches);
        return isLost ? Outcome.UNKNOWN : Outcome.RETRIED;
    }

    @BeforeAll
    static void start() throws IOException {
        partner = partnerWithEmptyBooks();
        URI address = URI.create("http://127.0.0.1:" + partner.getAddress().getPort());
        SigningKey key = SigningKey.generate();
        new Partners(Database.on(postgres.dataSource())).trust(GLOBEX, key.publicKey());
        server = ServerUnderTest.exchanging(
                postgres,
                data,
                new ExchangeConfig(
                        new Participant("acme"),
                        key,
                        Map.of(GLOBEX, new HttpTransport.Partner(address, "")),
                        ExchangeSettings.DEFAULT));
        direct = new TallyClient(server.server().address(), server.admin().token());
        calls = new FaultyCalls(direct, ClientFaultTest::post);
    }

    private static HttpServer partnerWithEmptyBooks() throws IOException {
        HttpServer answering = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] answer = "{\"books\":\"b\",\"periods\":[],\"nodes\":[],\"entries\":[]}".getBytes(UTF_8);
        answering.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        answering.setExecutor(Thread::startVirtualThread);
        answering.start();
        return answering;
    }

    private static void post(String id) {
        server.server()
                .exchange()
                .producer()
                .post(new Draft(GLOBEX, new MessageId(id), Payload.of("{}")))
                .join();
    }

    @AfterAll
    static void stop() {
        server.close();
        partner.stop(0);
    }

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void no_call_says_what_is_not_so() throws Exception {
        List<Cell> cells = new ArrayList<>();
        List<Fault> faults = List.of(Fault.values());
        for (int row = 0; row < FaultyCalls.ROWS.size(); row++) {
            for (int fault = 0; fault < faults.size(); fault++) {
                if ((row + fault) % SAMPLE == 0) {
                    cells.add(new Cell(FaultyCalls.ROWS.get(row), faults.get(fault), 1));
                }
            }
        }
        for (Row row : FaultyCalls.ROWS) {
            if (TELLING.contains(row.call())) {
                Arrays.stream(Fault.values()).forEach(fault -> cells.add(new Cell(row, fault, ALWAYS)));
            }
        }
        assertThatAllHold(cells);
    }

    @Test
    @Tag("campaign")
    void no_call_says_what_is_not_so_whatever_happens_to_it() throws Exception {
        List<Cell> cells = new ArrayList<>();
        for (Row row : FaultyCalls.ROWS) {
            for (Fault fault : Fault.values()) {
                cells.add(new Cell(row, fault, 1));
                cells.add(new Cell(row, fault, ALWAYS));
            }
        }
        assertThatAllHold(cells);
    }

    private void assertThatAllHold(List<Cell> cells) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Future<String>> findings = new ArrayList<>();
            for (Cell cell : cells) {
                findings.add(threads.submit(() -> finding(cell)));
            }
            List<String> wrong = new ArrayList<>();
            for (Future<String> each : findings) {
                wrong.add(each.get());
            }
            wrong.removeIf(String::isEmpty);
            assertThat(wrong).isEmpty();
        }
    }

    /** What is wrong with a cell; empty if nothing is. */
    private String finding(Cell cell) {
        FaultyCalls.Ready ready = cell.row().preparation().prepare(calls, "fault-" + NAMES.incrementAndGet());
        Outcome outcome;
        String said;
        try (FaultyProxy proxy = new FaultyProxy(server.server().address(), cell.fault(), cell.times())) {
            TallyClient client = new TallyClient(
                    proxy.address(),
                    server.admin().token(),
                    cell.times() == ALWAYS && !cell.fault().isHarmless() ? SHORT : LONG);
            try {
                ready.call().accept(client);
                outcome = cell.fault().isHarmless() || proxy.requests() == cell.times()
                        ? Outcome.DEFINITE
                        : Outcome.RETRIED;
                said = "";
            } catch (OutcomeUnknownException e) {
                outcome = Outcome.UNKNOWN;
                said = e.toString();
            } catch (UnavailableException e) {
                outcome = Outcome.UNAVAILABLE;
                said = e.toString();
            } catch (RefusedException e) {
                outcome = Outcome.REFUSED;
                said = e.toString();
            }
        }
        if (outcome != cell.expected()) {
            return cell + ": " + outcome.word() + " instead of "
                    + cell.expected().word() + " " + said;
        }
        boolean isSuccess = outcome == Outcome.DEFINITE || outcome == Outcome.RETRIED;
        return isSuccess && !ready.happened().getAsBoolean() ? cell + " did not happen" : "";
    }

    /** To add or change a call, change the document. */
    @Test
    void the_document_says_what_is_tested() throws IOException {
        assertThat(Files.readString(DOCUMENT)
                        .lines()
                        .filter(line -> line.startsWith("|"))
                        .toList())
                .containsExactlyElementsOf(document());
    }

    private static List<String> document() {
        List<String> lines = new ArrayList<>();
        lines.add(line("what happens", repeat -> repeat.word));
        lines.add(line("---", repeat -> "---"));
        for (Fault fault : Fault.values()) {
            lines.add(line(fault.sentence, repeat -> expected(repeat, fault, 1).word()));
        }
        lines.add(line(
                "the same, each time",
                repeat -> expected(repeat, Fault.DROP_BEFORE, ALWAYS).word()));
        lines.add("| kind | calls |");
        lines.add("| --- | --- |");
        for (Repeat repeat : Repeat.values()) {
            String all = FaultyCalls.ROWS.stream()
                    .filter(row -> row.repeat() == repeat)
                    .map(row -> "`" + row.call() + "`")
                    .collect(Collectors.joining(", "));
            lines.add("| " + repeat.word + " | " + all + " |");
        }
        return lines;
    }

    private static String line(String first, Function<Repeat, String> cell) {
        return Arrays.stream(Repeat.values()).map(cell).collect(Collectors.joining(" | ", "| " + first + " | ", " |"));
    }

    /** Streams and workers retry by themselves, and have tests of their own. */
    @Test
    void every_call_of_the_sdk_is_in_the_table() {
        Set<String> known = FaultyCalls.ROWS.stream().map(Row::call).collect(Collectors.toCollection(TreeSet::new));
        known.addAll(Set.of("messages.follow", "jobs.follow"));
        // Whether a call that is made again is given up by the time of a repeat is up to its receiver.
        known.add("webhooks.redrive");
        // Leads to a daemon, and the test of its client.
        known.add("throughDaemon");

        assertThat(callsOf("", TallyClient.class)).isSubsetOf(known);
    }

    /** What the client itself does, and what those do that it hands out. */
    private static Set<String> callsOf(String prefix, Class<?> type) {
        Set<String> calls = new TreeSet<>();
        for (Method method : type.getDeclaredMethods()) {
            boolean isPart = method.getParameterCount() == 0
                    && method.getReturnType().getPackageName().equals(TallyClient.class.getPackageName())
                    && !method.getReturnType().isRecord();
            if (!Modifier.isPublic(method.getModifiers()) || method.getName().startsWith("with")) {
                continue;
            }
            if (isPart) {
                calls.addAll(callsOf(method.getName() + ".", method.getReturnType()));
            } else {
                calls.add(prefix + method.getName());
            }
        }
        return calls;
    }
}
