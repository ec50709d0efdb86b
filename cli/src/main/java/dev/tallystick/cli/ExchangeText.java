package dev.tallystick.cli;

import dev.tallystick.client.Postings;
import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ArrayValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Records of the exchange as lines for people, and as JSON with the names that the server uses. */
final class ExchangeText {

    static String line(Postings.Posting posting) {
        String failure = posting.failure() == null ? "" : " (" + posting.failure() + ")";
        return "%s %s → %s %s: %s, %s%s"
                .formatted(
                        posting.inception(),
                        posting.producer(),
                        posting.consumer(),
                        posting.id(),
                        posting.ackStatus(),
                        posting.processingStatus(),
                        failure);
    }

    static String lineWithTrail(Postings.Posting posting) {
        return line(posting) + "\n  " + String.join("\n  ", posting.audit());
    }

    static String line(Postings.Issue issue) {
        return "%s %s %s → %s %s (%d×): %s"
                .formatted(
                        issue.raisedAt(),
                        issue.kind(),
                        issue.producer(),
                        issue.consumer(),
                        issue.id(),
                        issue.times(),
                        issue.detail());
    }

    static String line(Postings.Difference each) {
        return "%s %s %s → %s %s: here %s, there %s"
                .formatted(
                        each.day(),
                        each.kind(),
                        each.producer(),
                        each.consumer(),
                        each.id(),
                        each.here(),
                        each.there());
    }

    static Json json(Postings.Posting posting) {
        SequencedMap<String, Json> members = new LinkedHashMap<>();
        members.put("n", Json.of(posting.producer()));
        members.put("p", Json.of(posting.consumer()));
        members.put("id", Json.of(posting.id()));
        members.put("ack_status", Json.of(posting.ackStatus()));
        members.put("processing_status", Json.of(posting.processingStatus()));
        members.put("replays", Json.of(posting.replays()));
        members.put("attempts", Json.of(posting.attempts()));
        members.put("inception_datum", Json.of(posting.inception().toString()));
        members.put("deadline", Json.of(posting.deadline().toString()));
        members.put(
                "audit",
                new ArrayValue(posting.audit().stream().<Json>map(Json::of).toList()));
        return new Json.ObjectValue(members);
    }

    static Json json(Postings.Issue issue) {
        SequencedMap<String, Json> members = new LinkedHashMap<>();
        members.put("kind", Json.of(issue.kind()));
        members.put("n", Json.of(issue.producer()));
        members.put("p", Json.of(issue.consumer()));
        members.put("id", Json.of(issue.id()));
        members.put("detail", Json.of(issue.detail()));
        members.put("times", Json.of(issue.times()));
        members.put("raised_at", Json.of(issue.raisedAt().toString()));
        return new Json.ObjectValue(members);
    }

    static Json json(Postings.Difference each) {
        SequencedMap<String, Json> members = new LinkedHashMap<>();
        members.put("kind", Json.of(each.kind()));
        members.put("n", Json.of(each.producer()));
        members.put("p", Json.of(each.consumer()));
        members.put("id", Json.of(each.id()));
        members.put("day", Json.of(each.day().toString()));
        members.put("here", Json.of(each.here()));
        members.put("there", Json.of(each.there()));
        return new Json.ObjectValue(members);
    }

    /** The fields of an answer that is a sentence. */
    static SequencedMap<String, Json> sentence(String text) {
        return new LinkedHashMap<>(Map.of("answer", Json.of(text)));
    }

    static SequencedMap<String, Json> list(String name, List<Json> items) {
        return new LinkedHashMap<>(Map.of(name, new ArrayValue(items)));
    }

    private ExchangeText() {}
}
