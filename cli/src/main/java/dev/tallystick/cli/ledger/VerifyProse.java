package dev.tallystick.cli.ledger;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** Prints a verification's findings and what the ledger was checked against: a verdict is worth no more than that. */
record VerifyProse(Report report, Trust trust, Verifier.Depth depth) {

    String text() {
        String counted = "%s: %d commits, %d streams, %d transactions"
                .formatted(verdict(), report.commits(), report.streams(), report.transactions());
        List<String> lines = new java.util.ArrayList<>(findings());
        lines.add(counted);
        lines.add("checked against: " + heldAgainst());
        return String.join("\n", lines);
    }

    SequencedMap<String, Json> fields() {
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("verdict", Json.of(verdict()));
        fields.put("depth", Json.of(depth == Verifier.Depth.DEEP ? "deep" : "quick"));
        fields.put("root_key", known(trust.rootKey()));
        fields.put("current_key", known(trust.currentKey()));
        fields.put("anchor_position", trust.position() < 0 ? Json.ofNull() : Json.of(trust.position()));
        fields.put("commits", Json.of(report.commits()));
        fields.put("streams", Json.of(report.streams()));
        fields.put("transactions", Json.of(report.transactions()));
        fields.put("position", Json.of(report.position()));
        fields.put("root", Json.of(report.root()));
        fields.put(
                "findings",
                new Json.ArrayValue(findings().stream().<Json>map(Json::of).toList()));
        return fields;
    }

    /** Without a trusted root key, anyone can forge a ledger that agrees with itself. */
    private String verdict() {
        if (!report.isClean()) {
            return "broken";
        }
        return trust.rootKey().isEmpty() ? "consistent" : "verified";
    }

    private String heldAgainst() {
        List<String> known = new java.util.ArrayList<>();
        if (!trust.rootKey().isEmpty()) {
            known.add("the root key");
        }
        if (!trust.currentKey().isEmpty()) {
            known.add("the current key");
        }
        if (trust.position() >= 0) {
            known.add("an anchor at position " + trust.position());
        }
        String what = known.isEmpty() ? "only itself (pass --root-key or --anchor)" : String.join(", ", known);
        return what + (depth == Verifier.Depth.DEEP ? "; every byte was read" : "; only what is new was read");
    }

    private List<String> findings() {
        return report.findings().stream().map(Finding::toString).toList();
    }

    private static Json known(String key) {
        return key.isEmpty() ? Json.ofNull() : Json.of(key);
    }
}
