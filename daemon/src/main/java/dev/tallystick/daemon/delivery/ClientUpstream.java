package dev.tallystick.daemon.delivery;

import dev.tallystick.client.AttemptFailure;
import dev.tallystick.client.Messages;
import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyException;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.api.MemberApi.MemberView;
import dev.tallystick.core.api.SystemApi.Features;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.SendLimits;
import io.opentelemetry.context.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The server, through the client. Thread-safe. */
public final class ClientUpstream implements Upstream {

    private static final String API = "v1";
    private static final String BATCHES = "message-batches";
    private static final int JOBS_AT_ONCE = 8;
    private static final int MOST_HALVINGS = 8;
    private static final String UNSENT =
            "it was not sent, because an earlier one to the same destination was not accepted";

    private final Supplier<TallyClient> clients;
    private final Consumer<TallyClient> introduction;
    private final Semaphore jobs = new Semaphore(JOBS_AT_ONCE);

    /** How often the requests were halved because a whole one took too long. */
    private final AtomicInteger halvings = new AtomicInteger();

    private volatile @Nullable TallyClient current;

    /**
     * @param clients gives a client with the current token, at each meeting; throws an {@link IllegalStateException} if there
     *     is no token
     * @param introduction what the daemon says at each meeting, such as the key of its device; may throw a
     *     {@link TallyException}
     */
    public ClientUpstream(Supplier<TallyClient> clients, Consumer<TallyClient> introduction) {
        this.clients = clients;
        this.introduction = introduction;
    }

    /** The client of the last meeting. */
    public TallyClient client() {
        TallyClient client = current;
        if (client == null) {
            throw new IllegalStateException("there was no meeting yet");
        }
        return client;
    }

    @Override
    public Meeting meet() {
        return asked(() -> {
            TallyClient client = clients.get();
            current = client;
            Features features = client.features();
            if (!features.versions().contains(API)) {
                return new Meeting.Unsuitable(
                        "the server speaks " + features.versions() + ", and this daemon speaks " + API);
            }
            if (!features.features().contains(BATCHES)) {
                return new Meeting.Unsuitable("the server takes no batches of messages, so it is too old");
            }
            return new Meeting.Met(facts(features, client.members().me()));
        });
    }

    private static ServerFacts facts(Features features, MemberView me) {
        return new ServerFacts(
                features.installationId().toString(),
                me.mesh(),
                me.id(),
                features.dedupe().mode(),
                features.dedupe().retentionDays(),
                SendLimits.announced(features.maxPayload().inlineBytes(), features.maxRequestBytes()));
    }

    @Override
    public Meeting introduce(ServerFacts facts) {
        return asked(() -> {
            introduction.accept(client());
            return new Meeting.Met(facts);
        });
    }

    private static Meeting asked(Supplier<Meeting> question) {
        try {
            return question.get();
        } catch (RefusedException e) {
            Optional<ProblemCode> code = ProblemCode.parse(e.code());
            return code.isPresent() && pauses(code.get())
                    ? new Meeting.Refused(code.get(), detail(e))
                    : new Meeting.Unreachable(String.valueOf(e.getMessage()));
        } catch (TallyException e) {
            return new Meeting.Unreachable(String.valueOf(e.getMessage()));
        } catch (IllegalStateException e) {
            return new Meeting.Refused(ProblemCode.UNAUTHENTICATED, String.valueOf(e.getMessage()));
        }
    }

    private static boolean pauses(ProblemCode code) {
        return switch (code) {
            case UNAUTHENTICATED, FORBIDDEN, DEVICE_TAKEN, DEVICE_CLONED -> true;
            default -> false;
        };
    }

    @Override
    public List<SendOutcome> send(List<OutboxRow> rows) {
        List<OutboxRow> plain =
                rows.stream().filter(row -> !Sending.hasOptions(row)).toList();
        List<OutboxRow> jobsWithOptions =
                rows.stream().filter(Sending::hasOptions).toList();
        Iterator<SendOutcome> ofPlain = sendAll(plain).iterator();
        Iterator<SendOutcome> ofJobs = submitAll(jobsWithOptions).iterator();
        return rows.stream()
                .map(row -> (Sending.hasOptions(row) ? ofJobs : ofPlain).next())
                .toList();
    }

    /** In one request, or in several smaller ones if the network is too slow for it. */
    private List<SendOutcome> sendAll(List<OutboxRow> rows) {
        List<OutboxRow> part = rows.subList(0, Math.min(rows.size(), Math.max(1, rows.size() >> halvings.get())));
        List<SendOutcome> outcomes = new ArrayList<>(rows.size());
        if (!part.isEmpty()) {
            outcomes.addAll(sendPart(part));
        }
        while (outcomes.size() < rows.size()) {
            outcomes.add(new SendOutcome.NotNow(false, true, UNSENT, Duration.ZERO));
        }
        return outcomes;
    }

    private List<SendOutcome> sendPart(List<OutboxRow> rows) {
        try {
            List<SendOutcome> outcomes =
                    client()
                            .messages()
                            .sendAll(rows.stream().map(Sending::keyed).toList())
                            .stream()
                            .map(ClientUpstream::outcome)
                            .toList();
            halvings.updateAndGet(number -> Math.max(0, number - 1));
            return outcomes;
        } catch (RefusedException e) {
            // The request was refused, which says nothing about each of its rows.
            return rows.size() > 1 && !isForToken(e) ? sendEach(rows) : forAll(rows, failure(e));
        } catch (TallyException e) {
            if (isTooSlow(e)) {
                halvings.updateAndGet(number -> Math.min(MOST_HALVINGS, number + 1));
            }
            return forAll(rows, failure(e));
        }
    }

    private static List<SendOutcome> forAll(List<OutboxRow> rows, SendOutcome outcome) {
        return Collections.nCopies(rows.size(), outcome);
    }

    /** In order, up to the first one that cannot be accepted now. */
    private List<SendOutcome> sendEach(List<OutboxRow> rows) {
        List<SendOutcome> outcomes = new ArrayList<>(rows.size());
        for (OutboxRow row : rows) {
            boolean isStopped = !outcomes.isEmpty() && outcomes.getLast() instanceof SendOutcome.NotNow;
            outcomes.add(
                    isStopped
                            ? new SendOutcome.NotNow(false, true, UNSENT, Duration.ZERO)
                            : attempt(row, () -> accepted(client().messages().send(Sending.message(row), row.key()))));
        }
        return outcomes;
    }

    /** Jobs need no order. */
    private List<SendOutcome> submitAll(List<OutboxRow> rows) {
        if (rows.isEmpty()) {
            return List.of();
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<SendOutcome>> calls = rows.stream()
                    .<Callable<SendOutcome>>map(row -> () -> submit(row))
                    .toList();
            List<SendOutcome> outcomes = new ArrayList<>(rows.size());
            for (Future<SendOutcome> each : threads.invokeAll(calls)) {
                outcomes.add(each.get());
            }
            return outcomes;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return forAll(rows, new SendOutcome.NotNow(true, true, "interrupted", Duration.ZERO));
        } catch (ExecutionException e) {
            throw new IllegalStateException("a job could not be submitted", e);
        }
    }

    private SendOutcome submit(OutboxRow row) throws InterruptedException {
        jobs.acquire();
        try {
            return attempt(row, () -> {
                TallyClient.Submitted submitted = client().submit(Sending.job(row), row.key());
                return new SendOutcome.Accepted(submitted.job().toString(), null);
            });
        } finally {
            jobs.release();
        }
    }

    /** In the trace of the row's sender, which the client passes on. */
    @SuppressWarnings("try") // closing it is all that the scope is for
    private static SendOutcome attempt(OutboxRow row, Supplier<SendOutcome> call) {
        try (Scope trace = Sending.trace(row).makeCurrent()) {
            return call.get();
        } catch (TallyException e) {
            return failure(e);
        }
    }

    private static SendOutcome outcome(Messages.Outcome outcome) {
        return switch (outcome) {
            case Messages.Outcome.Accepted accepted -> accepted(accepted.sent());
            case Messages.Outcome.NotAccepted not -> failure(not.why());
        };
    }

    private static SendOutcome accepted(Messages.Sent sent) {
        return new SendOutcome.Accepted(
                sent.message().toString(), sent.history().toString());
    }

    private static SendOutcome failure(TallyException e) {
        return switch (e) {
            case RefusedException refused -> {
                Optional<ProblemCode> code = ProblemCode.parse(refused.code());
                yield code.isPresent()
                        ? new SendOutcome.Refused(code.get(), detail(refused), refused.holdsForEveryAttempt())
                        : new SendOutcome.NotNow(true, true, detail(refused), Duration.ZERO);
            }
            case UnavailableException unavailable ->
                new SendOutcome.NotNow(
                        false,
                        unavailable.failure().kind() != AttemptFailure.Kind.NO_CONNECTION,
                        detail(unavailable),
                        unavailable.failure().retryAfter());
            case OutcomeUnknownException unknown ->
                new SendOutcome.NotNow(
                        true,
                        unknown.failure().kind() != AttemptFailure.Kind.NO_CONNECTION,
                        detail(unknown),
                        unknown.failure().retryAfter());
        };
    }

    private static String detail(TallyException e) {
        String message = String.valueOf(e.getMessage());
        // The code stands before it in any case.
        return e instanceof RefusedException refused && message.startsWith(refused.code() + ": ")
                ? message.substring(refused.code().length() + 2)
                : message;
    }

    private static boolean isForToken(RefusedException e) {
        return e.code().equals(ProblemCode.UNAUTHENTICATED.word()) || e.code().equals(ProblemCode.FORBIDDEN.word());
    }

    private static boolean isTooSlow(TallyException e) {
        return e instanceof OutcomeUnknownException unknown
                && unknown.failure().kind() == AttemptFailure.Kind.TIMED_OUT;
    }
}
