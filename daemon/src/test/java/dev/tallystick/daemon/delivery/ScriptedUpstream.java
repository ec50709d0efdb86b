package dev.tallystick.daemon.delivery;

import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.SendLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A server that answers as a test says, row by row, and remembers what it accepted, in order. */
final class ScriptedUpstream implements Upstream {

    static final ServerFacts FACTS =
            new ServerFacts("installation-1", "default", "laptop", ServerFacts.REQUIRED_MODE, 365, SendLimits.USUAL);

    private final Map<String, Integer> attempts = new HashMap<>();
    private final List<String> accepted = Collections.synchronizedList(new ArrayList<>());
    private volatile Function<Attempt, SendOutcome> script = attempt -> attempt.accept();
    private volatile Meeting meeting = new Meeting.Met(FACTS);

    /** One attempt at a row, counted from 1. */
    record Attempt(OutboxRow row, int number) {

        String key() {
            return row.key().value();
        }

        SendOutcome accept() {
            return new SendOutcome.Accepted("message-" + key(), "history-" + key());
        }
    }

    static SendOutcome lostReply() {
        return new SendOutcome.NotNow(true, true, "the connection broke", Duration.ZERO);
    }

    static SendOutcome notNow() {
        return new SendOutcome.NotNow(false, true, "the server said busy", Duration.ZERO);
    }

    void answers(Function<Attempt, SendOutcome> other) {
        script = other;
    }

    void meets(Meeting other) {
        meeting = other;
    }

    /** The keys that were accepted, in their order. */
    List<String> accepted() {
        synchronized (accepted) {
            return List.copyOf(accepted);
        }
    }

    synchronized int attempts(String key) {
        return attempts.getOrDefault(key, 0);
    }

    @Override
    public Meeting meet() {
        return meeting;
    }

    @Override
    public Meeting introduce(ServerFacts facts) {
        return new Meeting.Met(facts);
    }

    @Override
    public List<SendOutcome> send(List<OutboxRow> rows) {
        return rows.stream().map(this::answer).toList();
    }

    private SendOutcome answer(OutboxRow row) {
        Attempt attempt = attempted(row);
        SendOutcome outcome = script.apply(attempt);
        if (outcome instanceof SendOutcome.Accepted) {
            accepted.add(attempt.key());
        }
        return outcome;
    }

    private synchronized Attempt attempted(OutboxRow row) {
        return new Attempt(row, attempts.merge(row.key().value(), 1, Integer::sum));
    }
}
