package dev.tallystick.cli;

import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ArrayValue;
import dev.tallystick.core.api.ExchangeApi.DifferenceView;
import dev.tallystick.core.api.ExchangeApi.IssueView;
import dev.tallystick.core.api.ExchangeApi.PostingView;
import dev.tallystick.core.api.RecordBinding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Records of the exchange as lines for people, and as JSON. */
final class ExchangeText {

    static String line(PostingView posting) {
        String failure = posting.failure() == null ? "" : " (" + posting.failure() + ")";
        return "%s %s → %s %s: %s, %s%s"
                .formatted(
                        posting.inceptionDatum(),
                        posting.n(),
                        posting.p(),
                        posting.id(),
                        posting.ackStatus(),
                        posting.processingStatus(),
                        failure);
    }

    static String lineWithTrail(PostingView posting) {
        return line(posting) + "\n  " + String.join("\n  ", posting.audit());
    }

    static String line(IssueView issue) {
        return "%s %s %s → %s %s (%d×): %s"
                .formatted(
                        issue.raisedAt(),
                        issue.kind(),
                        issue.n(),
                        issue.p(),
                        issue.id(),
                        issue.times(),
                        issue.detail());
    }

    static String line(DifferenceView each) {
        return "%s %s %s → %s %s: here %s, there %s"
                .formatted(each.day(), each.kind(), each.n(), each.p(), each.id(), each.here(), each.there());
    }

    /** As the server writes it. */
    static Json json(Record shown) {
        return Json.parse(RecordBinding.text(shown));
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
