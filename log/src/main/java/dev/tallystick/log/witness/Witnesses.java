package dev.tallystick.log.witness;

import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.note.NoteSignature;
import dev.tallystick.log.note.Policy;
import dev.tallystick.log.note.SignedNote;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The witnesses of a log that a policy names with an address. All are asked at once, within one limit of time, so that a slow one
 * delays nothing but its own cosignature. One thread at a time.
 */
public final class Witnesses implements AutoCloseable {

    /** How long a round waits for answers. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Policy policy;
    private final Duration patience;
    private final HttpClient http;
    private final Map<String, WitnessClient> clients = new LinkedHashMap<>();

    /**
     * Witnesses to ask.
     *
     * @throws IllegalArgumentException if an address is not one of HTTP
     */
    public Witnesses(Policy policy, Duration patience) {
        this.policy = policy;
        this.patience = patience;
        this.http = HttpClient.newBuilder()
                .connectTimeout(patience)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        for (Policy.Witness each : policy.witnesses()) {
            each.url()
                    .ifPresent(url -> clients.put(
                            each.name(), new WitnessClient(http, address(each.name(), url), each.key(), patience)));
        }
    }

    private static URI address(String name, String url) {
        URI address = URI.create(url);
        boolean plain = ("http".equals(address.getScheme()) || "https".equals(address.getScheme()))
                && address.getHost() != null
                && address.getRawQuery() == null
                && address.getRawFragment() == null;
        if (!plain) {
            throw new IllegalArgumentException("the address of the witness '" + name + "' is not one of HTTP: " + url);
        }
        return address;
    }

    /** Whether there is any witness to ask. */
    public boolean isEmpty() {
        return clients.isEmpty();
    }

    /**
     * What a round brought.
     *
     * @param checkpoint with all cosignatures that came in time
     * @param hasQuorum whether they are what the policy wants
     */
    public record Round(SignedNote checkpoint, boolean hasQuorum, Map<String, Cosigning> answers) {}

    /**
     * Asks every witness about the checkpoint of a log, from which the proofs are made.
     *
     * @param atQuorum is called once, with the first cosignatures that are a quorum, before slower witnesses have answered
     */
    public Round ask(LogSnapshot log, SignedNote signed, Consumer<SignedNote> atQuorum) throws InterruptedException {
        SignedNote own = new SignedNote(signed.text(), ownSignatures(signed));
        List<NoteSignature> signatures = new ArrayList<>();
        Map<String, Cosigning> answers = new LinkedHashMap<>();
        boolean hasQuorum = false;
        long deadline = System.nanoTime() + patience.toNanos();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            ExecutorCompletionService<Map.Entry<String, Cosigning>> asking = new ExecutorCompletionService<>(threads);
            for (Map.Entry<String, WitnessClient> each : clients.entrySet()) {
                Future<?> unused = asking.submit(() -> Map.entry(
                        each.getKey(), each.getValue().ask(own, oldSize -> log.consistency(oldSize, log.size()))));
            }
            for (int left = clients.size(); left > 0; left--) {
                Optional<Map.Entry<String, Cosigning>> answer = next(asking, deadline);
                if (answer.isEmpty()) {
                    break;
                }
                answers.put(answer.get().getKey(), answer.get().getValue());
                if (answer.get().getValue() instanceof Cosigning.Cosigned cosigned) {
                    signatures.add(cosigned.signature());
                    SignedNote now = own.with(signatures);
                    if (!hasQuorum && policy.isMetBy(now)) {
                        hasQuorum = true;
                        atQuorum.accept(now);
                    }
                }
            }
        } finally {
            threads.shutdownNow();
        }
        clients.keySet().forEach(name -> answers.putIfAbsent(name, new Cosigning.Unanswered("no answer in time")));
        return new Round(own.with(signatures), hasQuorum, answers);
    }

    /** Without older cosignatures: each round brings times of its own. */
    private List<NoteSignature> ownSignatures(SignedNote signed) {
        return signed.signatures().stream()
                .filter(each -> policy.witnesses().stream()
                        .noneMatch(witness -> each.name().equals(witness.key().name())))
                .toList();
    }

    private static Optional<Map.Entry<String, Cosigning>> next(
            ExecutorCompletionService<Map.Entry<String, Cosigning>> asking, long deadline) throws InterruptedException {
        Future<Map.Entry<String, Cosigning>> done =
                asking.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        if (done == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(done.get());
        } catch (ExecutionException e) {
            throw new IllegalStateException("asking a witness failed", e.getCause());
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
