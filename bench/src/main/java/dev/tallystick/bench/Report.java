package dev.tallystick.bench;

import java.io.PrintStream;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import tools.jackson.databind.json.JsonMapper;

/** The figures of a run: the median round of each contender, the spread, and the ratio to what ran beside it. */
final class Report {

    private static final JsonMapper JSON = new JsonMapper();

    private final Map<Contender, List<Sample>> samples;

    Report(Map<Contender, List<Sample>> samples) {
        this.samples = samples;
    }

    void printJson(PrintStream out) {
        samples.keySet().forEach(contender -> out.println(JSON.writeValueAsString(fields(contender))));
    }

    void printTable(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%-34s %12s %22s %10s %10s %8s%n",
                "",
                "per second",
                "spread",
                "p50 ms",
                "p99 ms",
                "ratio");
        for (Contender contender : samples.keySet()) {
            Sample median = median(contender);
            List<Sample> sorted = sorted(contender);
            OptionalDouble reference = reference(contender);
            out.printf(
                    Locale.ROOT,
                    "%-34s %,12.0f %22s %10.2f %10.2f %8s",
                    contender.name(),
                    median.perSecond(),
                    "%,.0f – %,.0f"
                            .formatted(
                                    sorted.getFirst().perSecond(),
                                    sorted.getLast().perSecond()),
                    median.p50Millis(),
                    median.p99Millis(),
                    reference.isPresent() ? "%.2f×".formatted(median.perSecond() / reference.getAsDouble()) : "");
            median.extras().forEach((name, value) -> out.printf(Locale.ROOT, "  %s %.3f", name, value));
            out.println();
        }
    }

    /** The median rate of a contender, if it ran. */
    OptionalDouble perSecond(String name) {
        return samples.keySet().stream()
                .filter(contender -> contender.name().equals(name))
                .mapToDouble(contender -> median(contender).perSecond())
                .findFirst();
    }

    private Map<String, Object> fields(Contender contender) {
        Sample median = median(contender);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", contender.name());
        fields.put("per_second", rounded(median.perSecond()));
        fields.put("slowest_per_second", rounded(sorted(contender).getFirst().perSecond()));
        fields.put("fastest_per_second", rounded(sorted(contender).getLast().perSecond()));
        fields.put("p50_ms", rounded(median.p50Millis()));
        fields.put("p99_ms", rounded(median.p99Millis()));
        reference(contender).ifPresent(reference -> {
            fields.put("reference_per_second", rounded(reference));
            fields.put("ratio", rounded(median.perSecond() / reference));
        });
        median.extras().forEach((name, value) -> fields.put(name, rounded(value)));
        return fields;
    }

    /** The fastest of the references: a comparison with the slower ones would flatter. */
    private OptionalDouble reference(Contender contender) {
        return samples.keySet().stream()
                .filter(other -> contender.references().contains(other.name()))
                .mapToDouble(other -> median(other).perSecond())
                .max();
    }

    private Sample median(Contender contender) {
        List<Sample> sorted = sorted(contender);
        return sorted.get(sorted.size() / 2);
    }

    private List<Sample> sorted(Contender contender) {
        return samples.getOrDefault(contender, List.of()).stream()
                .sorted(Comparator.comparingDouble(Sample::perSecond))
                .toList();
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }
}
