package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.EntryType;
import dev.tallystick.log.entry.JsonFields;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.note.Checkpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The jobs that come from the jobs of a key: reruns, forks, continuations and children, and what comes from those. Each is proven;
 * that there are no others is not.
 *
 * @param entries the accepted entries, in the order of the log; each shows its {@code job} and its {@code origin}
 * @param more whether the holder knows of others
 */
public record Descendants(List<SealedEntry> entries, boolean more) {

    public static final Descendants NONE = new Descendants(List.of(), false);

    /** More than this are not in one proof. */
    public static final int MOST = 200;

    public Descendants {
        entries = List.copyOf(entries);
    }

    /** A job that comes from another one. */
    public record Descendant(String job, LogEntry.OriginKind kind, String origin) {

        /** As a person reads it. */
        public String words() {
            return kind.word() + " " + job + " of " + origin;
        }
    }

    /** Each entry must be in the log and come from one of these jobs, or from an earlier entry. */
    List<Descendant> check(Checkpoint checkpoint, Collection<String> jobs) {
        Set<String> family = new HashSet<>(jobs);
        List<Descendant> found = new ArrayList<>();
        for (SealedEntry each : entries) {
            each.requireIncluded(checkpoint);
            LogEntry.Accepted entry = SealedEntry.as(LogEntry.Accepted.class, each, EntryType.ACCEPTED);
            LogEntry.Origin origin = entry.origin();
            String job = text(each, LogEntry.JOB);
            String from = text(each, LogEntry.Origin.FIELD);
            Opened opened = each.shown().get(LogEntry.Origin.FIELD);
            each.requireOpened(job, entry.commitments());
            if (origin == null || opened == null || !opened.opens(origin.job(), job, LogEntry.Origin.FIELD)) {
                throw new IllegalArgumentException("entry " + each.index() + " does not come from the job shown");
            }
            if (!family.contains(from) || !family.add(job)) {
                throw new IllegalArgumentException(
                        "entry " + each.index() + " does not descend from a job of this key");
            }
            found.add(new Descendant(job, origin.kind(), from));
        }
        return found;
    }

    private static String text(SealedEntry entry, String field) {
        Opened opened = entry.shown().get(field);
        if (opened != null && opened.value() instanceof Json.StringValue text) {
            return KeyProof.printable("the id of a job", text.value());
        }
        throw new IllegalArgumentException("entry " + entry.index() + " does not show its field '" + field + "'");
    }

    void write(Map<String, Json> members) {
        if (!entries.isEmpty()) {
            members.put(
                    "descendants",
                    new Json.ArrayValue(entries.stream().map(SealedEntry::json).toList()));
        }
        if (more) {
            members.put("more_descendants", Json.of(true));
        }
    }

    static Descendants read(JsonFields fields) {
        List<SealedEntry> entries = fields.list("descendants", MOST).stream()
                .map(each -> SealedEntry.parse(JsonFields.of("a descendant", each)))
                .toList();
        return new Descendants(entries, fields.flag("more_descendants"));
    }
}
