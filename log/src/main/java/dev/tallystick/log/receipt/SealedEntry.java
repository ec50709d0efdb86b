package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.EntryType;
import dev.tallystick.log.entry.JsonFields;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.TlogProof;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An entry with its inclusion proof, and the fields of its record that the holder shows.
 *
 * @param proof the siblings from the entry up to the root of the document's checkpoint
 */
public record SealedEntry(long index, LogEntry entry, List<Hash> proof, Map<String, Opened> shown) {

    public SealedEntry {
        proof = List.copyOf(proof);
        shown = java.util.Collections.unmodifiableMap(new TreeMap<>(shown));
    }

    public static SealedEntry of(byte[] entry, TlogProof proof, Map<String, Opened> shown) {
        return new SealedEntry(proof.index(), LogEntry.parse(entry), proof.hashes(), shown);
    }

    /** The proof of this entry as a C2SP text of its own. */
    public TlogProof tlogProof(SignedNote checkpoint) {
        return new TlogProof(index, proof, checkpoint);
    }

    void requireIncluded(Checkpoint checkpoint) {
        Hash leaf = Hash.leaf(entry.bytes());
        if (!MerkleProofs.includes(checkpoint.root(), checkpoint.size(), index, leaf, proof)) {
            throw new IllegalArgumentException(
                    "the " + entry.type().words() + " entry " + index + " is not in the log of this checkpoint");
        }
    }

    /** The head that ends the log of the checkpoint, which this must be. */
    LogEntry.MapHead asLastHead(Checkpoint checkpoint) {
        requireIncluded(checkpoint);
        LogEntry.MapHead head = as(LogEntry.MapHead.class, this, EntryType.MAP_HEAD);
        if (index != checkpoint.size() - 1 || head.covers() != index) {
            throw new IllegalArgumentException("the head is not the last entry of the log");
        }
        return head;
    }

    /** Every shown field must open its commitment for this job. */
    void requireOpened(String job, Map<String, Hash> commitments) {
        shown.forEach((field, opened) -> {
            Hash commitment = commitments.get(field);
            if (commitment == null || !opened.opens(commitment, job, field)) {
                throw new IllegalArgumentException("the field '" + field + "' of the "
                        + entry.type().words() + " record is not the one that the log commits to");
            }
        });
    }

    Json json() {
        Map<String, Json> members = new TreeMap<>();
        members.put("index", Json.of(index));
        members.put("type", Json.of(entry.type().code()));
        members.put("entry", entry.json());
        members.put("proof", hashes(proof));
        Map<String, Json> record = new TreeMap<>();
        shown.forEach((field, opened) -> record.put(field, opened.json()));
        members.put("shown", new Json.ObjectValue(record));
        return new Json.ObjectValue(members);
    }

    static SealedEntry parse(JsonFields fields) {
        long type = fields.number("type");
        if (type > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("an entry of unknown type " + type);
        }
        byte[] json = fields.value("entry").canonicalBytes();
        byte[] bytes =
                ByteBuffer.allocate(1 + json.length).put((byte) type).put(json).array();
        Map<String, Opened> shown = new TreeMap<>();
        JsonFields record = fields.object("shown");
        for (String field : record.names()) {
            shown.put(field, Opened.parse(record.object(field)));
        }
        SealedEntry sealed = new SealedEntry(
                fields.number("index"),
                LogEntry.parse(bytes),
                parseHashes(fields.list("proof", MerkleProofs.LONGEST)),
                shown);
        fields.end();
        return sealed;
    }

    static <E extends LogEntry> E as(Class<E> type, SealedEntry sealed, EntryType wanted) {
        if (type.isInstance(sealed.entry())) {
            return type.cast(sealed.entry());
        }
        throw new IllegalArgumentException("entry " + sealed.index() + " is of type "
                + sealed.entry().type().words() + ", not " + wanted.words());
    }

    static Json hashes(List<Hash> hashes) {
        return new Json.ArrayValue(
                hashes.stream().<Json>map(hash -> Json.of(hash.base64())).toList());
    }

    static List<Hash> parseHashes(List<Json> list) {
        List<Hash> hashes = new ArrayList<>();
        for (Json each : list) {
            if (!(each instanceof Json.StringValue text)) {
                throw new IllegalArgumentException("a proof is a list of hashes");
            }
            hashes.add(Hash.parse(text.value()));
        }
        return hashes;
    }
}
