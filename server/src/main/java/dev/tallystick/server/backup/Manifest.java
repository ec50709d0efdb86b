package dev.tallystick.server.backup;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.sql.CopyStore.Sequence;
import dev.tallystick.sql.CopyStore.Table;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a backup holds. It is written last.
 *
 * @param migrations the steps of the schema that were applied
 */
record Manifest(Instant madeAt, List<String> migrations, List<Part> parts, List<Sequence> sequences) {

    static final String FILE = "manifest.json";
    static final String FORMAT = "tally-backup-v1";

    private static final JsonLimits LIMITS = new JsonLimits(4 * 1024 * 1024, 8);

    /** A table, and the file with its rows. */
    record Part(Table table, long rows, long bytes, String sha256) {

        String file() {
            return table.name() + ".copy";
        }
    }

    Manifest {
        migrations = List.copyOf(migrations);
        parts = List.copyOf(parts);
        sequences = List.copyOf(sequences);
    }

    byte[] bytes() {
        Map<String, Json> members = new TreeMap<>();
        members.put("format", Json.of(FORMAT));
        members.put("made_at", Json.of(madeAt.toString()));
        members.put("migrations", texts(migrations));
        members.put(
                "tables", new Json.ArrayValue(parts.stream().map(Manifest::json).toList()));
        members.put(
                "sequences",
                new Json.ArrayValue(sequences.stream()
                        .<Json>map(each -> new Json.ObjectValue(
                                Map.of("name", Json.of(each.name()), "last", Json.of(each.last()))))
                        .toList()));
        return new Json.ObjectValue(members).canonicalBytes();
    }

    private static Json json(Part part) {
        Map<String, Json> members = new TreeMap<>();
        members.put("name", Json.of(part.table.name()));
        members.put("columns", texts(part.table.columns()));
        members.put("rows", Json.of(part.rows));
        members.put("bytes", Json.of(part.bytes));
        members.put("sha256", Json.of(part.sha256));
        return new Json.ObjectValue(members);
    }

    private static Json texts(List<String> texts) {
        return new Json.ArrayValue(texts.stream().<Json>map(Json::of).toList());
    }

    /** @throws BackupException if this is no manifest of ours */
    static Manifest parse(byte[] bytes) {
        try {
            Json.ObjectValue all = (Json.ObjectValue) Json.parse(bytes, LIMITS);
            if (!text(all, "format").equals(FORMAT)) {
                throw new BackupException("the backup has a format of another version: " + text(all, "format"));
            }
            return new Manifest(
                    Instant.parse(text(all, "made_at")),
                    words(list(all, "migrations")),
                    list(all, "tables").stream()
                            .map(Json.ObjectValue.class::cast)
                            .map(Manifest::part)
                            .toList(),
                    list(all, "sequences").stream()
                            .map(Json.ObjectValue.class::cast)
                            .map(each -> new Sequence(text(each, "name"), number(each, "last")))
                            .toList());
        } catch (IllegalArgumentException | ClassCastException | java.time.DateTimeException e) {
            throw new BackupException("the manifest is malformed: " + e.getMessage());
        }
    }

    private static Part part(Json.ObjectValue each) {
        return new Part(
                new Table(text(each, "name"), words(list(each, "columns"))),
                number(each, "rows"),
                number(each, "bytes"),
                text(each, "sha256"));
    }

    private static Json member(Json.ObjectValue object, String name) {
        Json value = object.members().get(name);
        if (value == null) {
            throw new IllegalArgumentException("'" + name + "' is missing");
        }
        return value;
    }

    private static String text(Json.ObjectValue object, String name) {
        return ((Json.StringValue) member(object, name)).value();
    }

    private static long number(Json.ObjectValue object, String name) {
        return Long.parseLong(((Json.NumberValue) member(object, name)).canonical());
    }

    private static List<Json> list(Json.ObjectValue object, String name) {
        return ((Json.ArrayValue) member(object, name)).elements();
    }

    private static List<String> words(List<Json> list) {
        return list.stream().map(each -> ((Json.StringValue) each).value()).toList();
    }
}
