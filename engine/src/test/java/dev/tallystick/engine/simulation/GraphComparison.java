package dev.tallystick.engine.simulation;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.simulation.DrawnGraph.Fate;
import dev.tallystick.engine.simulation.GraphInterpreter.Call;
import dev.tallystick.engine.simulation.GraphInterpreter.Run;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.ForkRefusedException;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.TaskView;
import dev.tallystick.workflow.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs random graphs on two engines and holds what they do against what {@link GraphInterpreter} says: which work gets which
 * input, and what the job returns; at first, with workers that fail, in forks and in redrives. A graph is its seed. Several
 * graphs run at once: most of their time they wait.
 */
final class GraphComparison implements AutoCloseable {

    /** Nothing is killed here: however busy the machine is, no worker loses its lease, and an attempt with it. */
    private static final EngineSettings SETTINGS =
            Workbench.SETTINGS.lease(Duration.ofMinutes(1), Duration.ofSeconds(5));

    private static final int MOST_ATTEMPTS = 20;

    private static final String CHILD_WORKER = "kid";
    private static final int AT_ONCE = 4;

    private final JsonCodec codec = new JsonCodec();
    private final GraphBench bench;
    private final List<Engine> engines = new ArrayList<>();
    private final Map<JobId, Map<String, Done>> done = new ConcurrentHashMap<>();
    private final Map<String, Fate> fates = new ConcurrentHashMap<>();
    private final Set<String> broken = ConcurrentHashMap.newKeySet();
    private final List<String> wrong = new CopyOnWriteArrayList<>();
    private final AtomicInteger names = new AtomicInteger();
    private final AtomicInteger jobs = new AtomicInteger();
    private final AtomicInteger forks = new AtomicInteger();
    private final AtomicInteger redrives = new AtomicInteger();

    /** Work that was done, and where. */
    private record Done(Call call, String place) {}

    GraphComparison(DataSource source) {
        this.bench = new GraphBench(source);
        bench.worker(DrawnGraph.WORKER, this::work)
                .worker(CHILD_WORKER, (work, input) -> DrawnGraph.respond(DrawnGraph.CHILD, map(input)));
        bench.graph(Graph.named(DrawnGraph.CHILD)
                .trigger("t")
                .worker(CHILD_WORKER, "input")
                .from("t", CHILD_WORKER)
                .output(CHILD_WORKER)
                .build());
        engines.add(start());
        engines.add(start());
    }

    private Engine start() {
        Workbench workbench = bench.workbench();
        return bench.register(workbench.start(workbench.database(), SETTINGS, CrashPoints.NONE));
    }

    /** What went otherwise than it should have, each with the seed of its graph. */
    List<String> wrong() {
        return wrong;
    }

    String summary() {
        return names + " graphs, " + jobs + " jobs, " + forks + " forks, " + redrives + " redrives";
    }

    /** Everything that breaks the rules of the ledgers. */
    List<String> violations() {
        return bench.violations();
    }

    /** Compares the graphs of these seeds until there are no more, or until one goes wrong. */
    void compare(Supplier<OptionalLong> seeds) {
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE)) {
            for (int i = 0; i < AT_ONCE; i++) {
                threads.add(CompletableFuture.runAsync(() -> compareEach(seeds), executor));
            }
        }
        threads.forEach(CompletableFuture::join);
    }

    private void compareEach(Supplier<OptionalLong> seeds) {
        OptionalLong seed = next(seeds);
        while (seed.isPresent()) {
            compare(seed.getAsLong());
            seed = next(seeds);
        }
    }

    private synchronized OptionalLong next(Supplier<OptionalLong> seeds) {
        return wrong.isEmpty() ? seeds.get() : OptionalLong.empty();
    }

    /** Compares one graph; one that does too much is drawn again. */
    private void compare(long seed) {
        Randomness random = Randomness.ofSeed(seed);
        Map<String, Object> input = Map.of("x", random.between(0, 3));
        DrawnGraph graph;
        Optional<Run> expected;
        names.incrementAndGet();
        // What a worker answers depends on its name: a graph that is drawn again from its seed has the same names.
        String name = "g" + Long.toUnsignedString(seed, Character.MAX_RADIX);
        do {
            graph = new GraphGenerator(name, random).draw();
            expected = GraphInterpreter.run(graph, input);
        } while (expected.isEmpty());
        graph.nodes().forEach(node -> fates.put(node.name(), node.fate()));
        Graph rendered = graph.render();
        engines.forEach(engine -> engine.register(rendered));
        try {
            compare(graph, input, expected.get(), random);
        } catch (RuntimeException | AssertionError e) {
            wrong.add(e.getMessage() + "\n-Dtally.seed=" + seed + "\n" + GraphYaml.write(rendered));
        }
        forget(name);
    }

    /** Otherwise the work of an hour fills the memory. The names of nodes begin with that of their graph. */
    private void forget(String graph) {
        done.values()
                .removeIf(work -> work.values().stream()
                        .anyMatch(each -> each.call().node().startsWith(graph)));
        fates.keySet().removeIf(node -> node.startsWith(graph));
    }

    private void compare(DrawnGraph graph, Map<String, Object> input, Run expected, Randomness random) {
        Optional<String> fragile = graph.nodes().stream()
                .filter(node -> node.fate() == Fate.FRAGILE)
                .map(DrawnGraph.Node::name)
                .filter(node ->
                        expected.calls().stream().anyMatch(call -> call.node().equals(node)))
                .findFirst();
        fragile.ifPresent(broken::add);
        JobId job = bench.submit(engines.getFirst(), graph.name(), input);
        jobs.incrementAndGet();
        signal(graph, job, expected, Map.of());
        Closed closed = await(job);
        if (fragile.isPresent()) {
            demand("a broken worker fails its job", closed.outcome() == JobOutcome.FAILED);
            broken.remove(fragile.get());
            redrive(graph, job, expected);
            return;
        }
        demandEqual("output", expected.output(), output(closed));
        demandEqual("work", counted(expected.calls()), counted(calls(job)));
        if (!calls(job).isEmpty()) {
            fork(graph, job, expected, random);
        }
    }

    private void redrive(DrawnGraph graph, JobId failed, Run expected) {
        JobId job;
        try {
            job = insist(() -> engines.getLast().reruns().redrive("default", failed));
        } catch (ForkRefusedException e) {
            demandRoundsSideBySide(graph, e);
            return;
        }
        redrives.incrementAndGet();
        signal(graph, job, expected, received(failed));
        Closed closed = await(job);
        demandEqual("output of the redrive after " + calls(job), expected.output(), output(closed));
        demandPart(expected, job);
    }

    private void fork(DrawnGraph graph, JobId from, Run expected, Randomness random) {
        List<String> places = done.getOrDefault(from, Map.of()).values().stream()
                .map(Done::place)
                .distinct()
                .sorted()
                .toList();
        String place = random.oneOf(places);
        JobId job;
        try {
            job = insist(() -> engines.getLast().reruns().fork("default", from, place));
        } catch (ForkRefusedException e) {
            demandRoundsSideBySide(graph, e);
            return;
        }
        forks.incrementAndGet();
        signal(graph, job, expected, Map.of());
        demandEqual("output of the fork at " + place, expected.output(), output(await(job)));
        demandPart(expected, job);
    }

    /** Rounds that run side by side are numbered as they come, and a record of those may not be followed. */
    private static void demandRoundsSideBySide(DrawnGraph graph, ForkRefusedException refused) {
        demand(String.valueOf(refused.getMessage()), graph.hasRoundsSideBySide());
    }

    private void demandPart(Run expected, JobId job) {
        Map<Call, Long> all = counted(expected.calls());
        counted(calls(job))
                .forEach((call, times) -> demand(
                        "work that is done again is work of the job: " + call + " " + times + " times, of "
                                + all.get(call),
                        all.getOrDefault(call, 0L) >= times));
    }

    /** @param sent how many signals of each hook the job has already */
    private void signal(DrawnGraph graph, JobId job, Run expected, Map<String, Integer> sent) {
        expected.signals().forEach((hook, number) -> {
            boolean inRounds = isInRounds(graph, hook);
            for (int i = inRounds ? 0 : sent.getOrDefault(hook, 0); i < number; i++) {
                signal(job, hook, job + ":" + i, DrawnGraph.signal(inRounds, i));
            }
        });
    }

    private void signal(JobId job, String hook, String key, Object payload) {
        insist(() -> {
            bench.signal(engines.getFirst(), job, hook, key, payload);
            return job;
        });
    }

    /** Asks again on a busy machine, as users do: nothing was done. */
    private static JobId insist(Supplier<JobId> question) {
        for (int attempt = 1; ; attempt++) {
            try {
                return question.get();
            } catch (CompletionException | DefiniteFailureException e) {
                Throwable cause = e instanceof CompletionException ? e.getCause() : e;
                if (attempt == MOST_ATTEMPTS
                        || !(cause instanceof DefiniteFailureException failure)
                        || failure.reason() == DefiniteFailureException.Reason.REFUSED) {
                    throw e;
                }
                LockSupport.parkNanos(100_000_000);
            }
        }
    }

    private static boolean isInRounds(DrawnGraph graph, String hook) {
        List<String> before = new ArrayList<>(graph.to(hook));
        for (int i = 0; i < before.size(); i++) {
            graph.to(before.get(i)).stream()
                    .filter(each -> !before.contains(each))
                    .forEach(before::add);
        }
        String trigger = graph.nodes().getFirst().name();
        return before.stream().filter(graph::opens).anyMatch(opener -> !reaches(graph, trigger, hook, opener));
    }

    private static boolean reaches(DrawnGraph graph, String from, String to, String without) {
        return !from.equals(without)
                && (from.equals(to)
                        || graph.from(from).stream().anyMatch(way -> reaches(graph, way.to(), to, without)));
    }

    /** The signals that a job got before it closed: its redrive has them, whether a wait took them or not. */
    private Map<String, Integer> received(JobId job) {
        Map<String, Integer> received = new HashMap<>();
        bench.workbench()
                .database()
                .transact(
                        "received",
                        tx -> tx.query(
                                """
                select name, count(*) as number
                from tally.signal
                where job_id = ?
                group by 1
                """, row -> received.put(row.getString("name"), row.getInt("number")), job.value()));
        return received;
    }

    /** Answers what people are asked until the job has ended. */
    private Closed await(JobId job) {
        for (int turn = 0; turn < 600; turn++) {
            for (TaskView task : engines.getFirst().tasks().all("default", null, 100)) {
                if (!task.job().equals(job)) {
                    continue;
                }
                byte[] answer = codec.encode(DrawnGraph.answer(task.name()));
                engines.getFirst().tasks().resolve("default", task.id(), Person.named("ada"), answer, "only");
            }
            try {
                Optional<Closed> closed = engines.getFirst().await(job, Duration.ofMillis(50));
                if (closed.isPresent()) {
                    return closed.get();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError("job " + job + " does not end: "
                + engines.getFirst().why("default", job).waits());
    }

    private Object work(Work work, @Nullable Object input) {
        Map<String, Object> got = map(input);
        String place = work.dimension().isEmpty() ? work.node() : work.node() + "@" + work.dimension();
        Call call = new Call(work.node(), DrawnGraph.canonical(got));
        Done before = done.computeIfAbsent(work.job(), key -> new ConcurrentHashMap<>())
                .putIfAbsent(work.key(), new Done(call, place));
        if (before != null && !before.call().equals(call)) {
            wrong.add("attempt " + work.attempt() + " at " + place + " got " + call + ", and one before "
                    + before.call());
        }
        switch (fates.getOrDefault(work.node(), Fate.GOOD)) {
            case SECOND_ATTEMPT -> fail(work.attempt() == 1);
            case HANDLED -> fail(DrawnGraph.failsForGood(work.node(), got));
            case FRAGILE -> fail(broken.contains(work.node()));
            case GOOD -> {}
        }
        return DrawnGraph.respond(work.node(), got);
    }

    private static void fail(boolean wanted) {
        if (wanted) {
            throw new IllegalStateException("it fails");
        }
    }

    private List<Call> calls(JobId job) {
        return done.getOrDefault(job, Map.of()).values().stream()
                .map(Done::call)
                .toList();
    }

    private static Map<Call, Long> counted(List<Call> calls) {
        return calls.stream().collect(Collectors.groupingBy(call -> call, Collectors.counting()));
    }

    private Map<String, Object> output(Closed closed) {
        return map(bench.result(closed));
    }

    @SuppressWarnings("unchecked") // as JSON is read
    private static Map<String, Object> map(@Nullable Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    private static void demandEqual(String what, Object expected, Object found) {
        demand(what + " is\n  " + found + "\nand not\n  " + expected, expected.equals(found));
    }

    private static void demand(String what, boolean holds) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    @Override
    public void close() {
        bench.close();
    }
}
