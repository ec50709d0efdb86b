package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.EntryType;
import dev.tallystick.log.entry.JsonFields;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.ring.Rotation;
import dev.tallystick.log.tree.Hash;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Proves that a job was accepted and, if it has closed, how: both entries under one checkpoint, with the fields that the holder
 * shows. Receipts do not age.
 *
 * <p>The receipt of an erased job proves its entries and its erasure. Only the record of the erasure can be opened then, and
 * shows the job; fields of the others may still be shown by a holder who knows their openings from an older receipt.
 *
 * @param job the id of the job, which all shown fields belong to
 * @param accepted null if the job was accepted before the log began
 * @param closed null as long as the job has not closed or its closing is not sealed
 * @param erased null unless the job was erased
 */
public record Receipt(
        String job,
        @Nullable SealedEntry accepted,
        @Nullable SealedEntry closed,
        @Nullable SealedEntry erased,
        SignedNote checkpoint,
        List<Rotation> rotations) {

    public static final String FORMAT = "tally-receipt-v1";

    private static final int LONGEST_ID = 255;

    public Receipt {
        rotations = List.copyOf(rotations);
        if (job.isEmpty() || job.length() > LONGEST_ID) {
            throw new IllegalArgumentException("the id of a job has 1 to 255 characters");
        }
        if (accepted == null && closed == null) {
            throw new IllegalArgumentException("a receipt has an accepted or a closed entry");
        }
    }

    /** The receipt of a job that was not erased. */
    public Receipt(
            String job,
            @Nullable SealedEntry accepted,
            @Nullable SealedEntry closed,
            SignedNote checkpoint,
            List<Rotation> rotations) {
        this(job, accepted, closed, null, checkpoint, rotations);
    }

    /** What a receipt proves. */
    public record Facts(
            Standing standing,
            String job,
            Map<String, Json> accepted,
            Optional<Map<String, Json>> closed,
            Optional<Map<String, Json>> erased) {}

    public static Receipt parse(byte[] json) {
        JsonFields fields = Document.open("a receipt", FORMAT, json);
        Document document = Document.parse(fields);
        Receipt receipt = new Receipt(
                fields.text("job"),
                fields.findObject("accepted").map(SealedEntry::parse).orElse(null),
                fields.findObject("closed").map(SealedEntry::parse).orElse(null),
                fields.findObject("erased").map(SealedEntry::parse).orElse(null),
                document.checkpoint(),
                document.rotations());
        fields.end();
        return receipt;
    }

    public Json json() {
        Map<String, Json> members = new TreeMap<>(new Document(checkpoint, rotations).json(FORMAT));
        members.put("job", Json.of(job));
        if (accepted != null) {
            members.put("accepted", accepted.json());
        }
        if (closed != null) {
            members.put("closed", closed.json());
        }
        if (erased != null) {
            members.put("erased", erased.json());
        }
        return new Json.ObjectValue(members);
    }

    /** Verifies a receipt; any bytes may be given. */
    public static Verdict<Facts> verify(byte[] json, Trust trust) {
        return Verdict.of(bytes -> parse(bytes).facts(trust), json);
    }

    private Facts facts(Trust trust) {
        Standing standing = Standing.of(checkpoint, rotations, trust);
        Map<String, Json> acceptedFields = Map.of();
        if (accepted != null) {
            LogEntry.Accepted entry = SealedEntry.as(LogEntry.Accepted.class, accepted, EntryType.ACCEPTED);
            acceptedFields = checked(standing, accepted, entry.commitments(), erased == null);
        }
        Optional<Map<String, Json>> closedFields = Optional.empty();
        if (closed != null) {
            LogEntry.Closed entry = SealedEntry.as(LogEntry.Closed.class, closed, EntryType.CLOSED);
            requireLinked(closed, entry.accepted());
            closedFields = Optional.of(checked(standing, closed, entry.commitments(), erased == null));
        }
        Optional<Map<String, Json>> erasedFields = Optional.empty();
        if (erased != null) {
            LogEntry.Erased entry = SealedEntry.as(LogEntry.Erased.class, erased, EntryType.ERASED);
            requireLinked(erased, entry.accepted());
            erasedFields = Optional.of(checked(standing, erased, entry.commitments(), true));
        }
        return new Facts(standing, job, acceptedFields, closedFields, erasedFields);
    }

    /** @param showsJob whether the entry must show its job: nothing but the erasure of an erased job can be opened */
    private Map<String, Json> checked(
            Standing standing, SealedEntry sealed, Map<String, Hash> commitments, boolean showsJob) {
        sealed.requireIncluded(standing.checkpoint());
        sealed.requireOpened(job, commitments);
        Opened id = sealed.shown().get(LogEntry.JOB);
        boolean shown = id == null ? !showsJob : id.value().equals(Json.of(job));
        if (!shown) {
            throw new IllegalArgumentException(
                    "the " + sealed.entry().type().words() + " record does not show that its job is '" + job + "'");
        }
        Map<String, Json> fields = new TreeMap<>();
        sealed.shown().forEach((field, opened) -> fields.put(field, opened.value()));
        return fields;
    }

    private void requireLinked(SealedEntry sealed, @Nullable Long named) {
        boolean linked = accepted == null ? named == null : named != null && named == accepted.index();
        if (!linked) {
            throw new IllegalArgumentException(
                    "the " + sealed.entry().type().words() + " entry belongs to another accepted entry");
        }
    }
}
