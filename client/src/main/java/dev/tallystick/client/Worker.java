package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.StackTraces;
import dev.tallystick.core.api.WorkApi;
import dev.tallystick.core.api.WorkApi.ClaimWork;
import dev.tallystick.core.api.WorkApi.ClaimedWork;
import dev.tallystick.core.api.WorkApi.HeldWork;
import dev.tallystick.core.api.WorkApi.KeepWork;
import dev.tallystick.core.api.WorkApi.KeptWork;
import dev.tallystick.core.api.WorkApi.ResultTaken;
import dev.tallystick.core.api.WorkApi.WorkResult;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of a topic, on virtual threads. The handler's result is recorded once; the handler itself may run again, here
 * or elsewhere, if this process dies or loses its lease, so it must pass {@link Work#key()} to every foreign system it calls.
 * Thread-safe.
 */
public final class Worker implements AutoCloseable {

    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);
    private static final Duration STOPPING = Duration.ofSeconds(10);

    /** The most work that a server keeps with one heartbeat. */
    private static final int LARGEST_HEARTBEAT = 500;

    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    private final Transport transport;
    private final String path;
    private final Handler handler;
    private final WorkerSpans spans;
    private final int atOnce;
    private final Semaphore room;
    private final Map<UUID, Work> running = new ConcurrentHashMap<>();
    private final Thread claims;
    private final Thread heartbeats;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean stopping;
    private volatile @Nullable RuntimeException failure;
    private volatile Duration lease = Duration.ofSeconds(30);

    /** Does the work. An exception is a failed attempt; {@link Hopeless} makes it the last one. */
    @FunctionalInterface
    public interface Handler {
        Json handle(Work work) throws Exception;
    }

    /** This work cannot be done, however often it is tried. */
    public static final class Hopeless extends Exception {

        private static final long serialVersionUID = 1L;

        public Hopeless(String why) {
            super(why);
        }
    }

    /**
     * A piece of work.
     *
     * @param activity its name in the workflow
     * @param attempt counted from 1
     * @param key for foreign systems: the same for every attempt of this work, different everywhere else
     * @param traceParent its trace context (W3C), which is current while it is handled; null for none
     */
    public record Work(
            UUID job,
            UUID id,
            long fence,
            String activity,
            int attempt,
            String key,
            Json input,
            @Nullable String traceParent) {

        private HeldWork held() {
            return new HeldWork(job, id, fence);
        }

        private WorkResult done(Json output) {
            return new WorkResult(job, id, fence, output, null, null, null);
        }

        private WorkResult failed(Throwable why, boolean forGood) {
            String message = why.getMessage();
            return new WorkResult(
                    job,
                    id,
                    fence,
                    null,
                    message == null ? why.toString() : message,
                    StackTraces.of(why),
                    forGood ? true : null);
        }
    }

    private Worker(TallyClient client, String topic, int atOnce, Handler handler) {
        this.transport = client.transport();
        this.path = "/v1/workers/" + Query.encode(topic);
        this.handler = handler;
        this.spans = new WorkerSpans(client.telemetry(), topic);
        this.atOnce = atOnce;
        this.room = new Semaphore(atOnce);
        this.claims = Thread.ofVirtual().name("tally-worker-claims").unstarted(this::claim);
        this.heartbeats = Thread.ofVirtual().name("tally-worker-heartbeats").unstarted(this::beat);
    }

    /**
     * Starts working.
     *
     * @param atOnce how many pieces of work are done at the same time, at least 1
     */
    public static Worker start(TallyClient client, String topic, int atOnce, Handler handler) {
        if (atOnce < 1) {
            throw new IllegalArgumentException("a worker does 1 piece of work at once or more, not " + atOnce);
        }
        Worker worker = new Worker(client, topic, atOnce, handler);
        worker.claims.start();
        worker.heartbeats.start();
        return worker;
    }

    /**
     * Waits until the worker takes no more work: because it was closed, or because it cannot continue, as {@link #failure()}
     * says. Work in progress continues; close the worker in either case.
     */
    public void awaitEnd() throws InterruptedException {
        claims.join();
    }

    /**
     * Why the worker takes no more work although it was not closed: usually a {@link RefusedException}, because its token
     * expired or its member lacks the role. Empty while it works, and after it was closed normally.
     */
    public Optional<RuntimeException> failure() {
        return Optional.ofNullable(failure);
    }

    /** Takes no more work, and waits a while for work in progress. The rest is handed out again, here or elsewhere. */
    @Override
    public void close() {
        long deadline = System.nanoTime() + STOPPING.toNanos();
        stopping = true;
        claims.interrupt();
        try {
            // The current claim may still start work; wait for it first, so that all work can be waited for.
            claims.join(STOPPING);
            boolean unused = room.tryAcquire(atOnce, deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stopped.countDown();
        }
    }

    private void claim() {
        while (!stopping) {
            try {
                room.acquire();
                room.release();
                for (Work work : claimed(room.availablePermits())) {
                    room.acquireUninterruptibly();
                    running.put(work.id(), work);
                    Thread.ofVirtual().name("tally-work-" + work.id()).start(() -> work(work));
                }
            } catch (InterruptedException e) {
                return;
            } catch (UnavailableException | OutcomeUnknownException e) {
                // The client has already waited in between; work of a claim whose answer was lost comes again after its
                // lease.
            } catch (Throwable e) {
                // A refusal: the next claim would be refused too.
                failure = e instanceof RuntimeException ours ? ours : new IllegalStateException(e);
                LOG.log(System.Logger.Level.ERROR, "the worker at " + path + " takes no more work", e);
                return;
            }
        }
    }

    private List<Work> claimed(int most) {
        ClaimWork body = new ClaimWork(Math.clamp(most, 1, WorkApi.MOST_CLAIMED), Durations.secondsOrNull(WAIT));
        return transport.ask(Request.post(path + "/claim", body).waiting(WAIT), ClaimedWork.class, claimed -> {
            Duration granted = Duration.ofSeconds(claimed.leaseSeconds());
            if (granted.isZero() || granted.isNegative() || granted.compareTo(LONGEST_LEASE) > 0) {
                throw new ForeignAnswer("it leases for " + granted);
            }
            lease = granted;
            return claimed.work().stream().map(Worker::work).toList();
        });
    }

    private static Work work(ClaimedWork.Piece piece) {
        return new Work(
                piece.jobId(),
                piece.workId(),
                piece.fence(),
                piece.activity(),
                piece.attempt(),
                piece.key(),
                piece.input().json(),
                piece.traceparent());
    }

    @SuppressWarnings("try") // that it is closed is all that the scope is for
    private void work(Work work) {
        Span span = spans.begin(work);
        try (Scope current = span.makeCurrent()) {
            bring(work, result(work, span), span);
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, failed(work) + ", and comes again after its lease", e);
        } finally {
            span.end();
            running.remove(work.id());
            room.release();
        }
    }

    private WorkResult result(Work work, Span span) {
        try {
            return work.done(
                    Objects.requireNonNull(handler.handle(work), "a handler returns no null: return Json.ofNull()"));
        } catch (Hopeless e) {
            WorkerSpans.failed(span, e);
            LOG.log(System.Logger.Level.WARNING, failed(work) + " for good", e);
            return work.failed(e, true);
        } catch (Throwable e) {
            WorkerSpans.failed(span, e);
            LOG.log(System.Logger.Level.WARNING, failed(work), e);
            return work.failed(e, false);
        }
    }

    private static String failed(Work work) {
        return "attempt " + work.attempt() + " at '" + work.activity() + "' of job " + work.job() + " failed";
    }

    /** If the server refuses the result, sends the refusal as the reason of a failure. */
    private void bring(Work work, WorkResult result, Span span) {
        try {
            send(work, result);
        } catch (RefusedException e) {
            if (isAboutTheResult(e)) {
                WorkerSpans.failed(span, e);
                giveUp(work, work.failed(e, true));
            }
        } catch (UnavailableException | OutcomeUnknownException e) {
            // The work comes again after its lease, unless its result was recorded and only the answer was lost.
        }
    }

    /** A lost lease needs no action, and without the role the work is left to a worker that has it. */
    private static boolean isAboutTheResult(RefusedException refused) {
        return ProblemCode.parse(refused.code())
                .filter(code -> code.lasting() == ProblemCode.Lasting.PERMANENT)
                .filter(code -> code != ProblemCode.LEASE_LOST
                        && code != ProblemCode.RESULT_DIFFERS
                        && code != ProblemCode.NOT_FOUND)
                .isPresent();
    }

    private void send(Work work, WorkResult result) {
        transport.ask(Request.post(path + "/result", result), ResultTaken.class, ResultTaken::workId, work.id());
    }

    private void giveUp(Work work, WorkResult failed) {
        try {
            send(work, failed);
        } catch (TallyException e) {
            // The work comes again after its lease, and ends in the same way.
        }
    }

    private void beat() {
        while (true) {
            try {
                if (stopped.await(lease.toMillis() / 3, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                return;
            }
            List<HeldWork> held = running.values().stream().map(Work::held).toList();
            for (int from = 0; from < held.size(); from += LARGEST_HEARTBEAT) {
                keep(held.subList(from, Math.min(held.size(), from + LARGEST_HEARTBEAT)));
            }
        }
    }

    private void keep(List<HeldWork> held) {
        try {
            transport.ask(Request.post(path + "/heartbeat", new KeepWork(held)), KeptWork.class);
        } catch (TallyException e) {
            // The next heartbeat comes before the lease expires; if that fails too, the fence decides.
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "a heartbeat of the worker at " + path + " failed", e);
        }
    }

    /**
     * The spans of a worker: one for each piece of work, in the trace of its job. They contain no payload and no failure message.
     * Without tracing, the span of the work's sender is current instead, so that the handler's own calls still belong to the trace.
     */
    private static final class WorkerSpans {

        private static final String HEADER = "traceparent";

        private final Tracer tracer;
        private final String topic;

        WorkerSpans(OpenTelemetry telemetry, String topic) {
            this.tracer = telemetry.getTracer("dev.tallystick.client");
            this.topic = topic;
        }

        Span begin(Worker.Work work) {
            return tracer.spanBuilder("work " + work.activity())
                    .setSpanKind(SpanKind.CONSUMER)
                    .setParent(W3CTraceContextPropagator.getInstance().extract(Context.root(), work, new Handed()))
                    .setAttribute("tallystick.job", work.job().toString())
                    .setAttribute("tallystick.step", work.activity())
                    .setAttribute("tallystick.topic", topic)
                    .setAttribute("tallystick.attempt", work.attempt())
                    .startSpan();
        }

        static void failed(Span span, Throwable e) {
            span.setStatus(StatusCode.ERROR);
            span.setAttribute("error.type", e.getClass().getName());
        }

        private record Handed() implements TextMapGetter<Worker.Work> {

            @Override
            @SuppressWarnings("deprecation") // applications may hold us to an older OpenTelemetry, which asks for it
            public Iterable<String> keys(Worker.Work work) {
                return List.of(HEADER);
            }

            @Override
            public @Nullable String get(Worker.@Nullable Work work, String name) {
                return work != null && name.equals(HEADER) ? work.traceParent() : null;
            }
        }
    }
}
