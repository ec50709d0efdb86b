package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.JsonFields;
import dev.tallystick.log.map.MapProof;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.ring.Rotation;
import dev.tallystick.log.tree.Hash;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Shows that a promise was broken: a checkpoint that witnesses cosigned after the promised time, and a key map in it without the
 * promised tag.
 *
 * @param promise the note that the holder has
 * @param head the head entry that ends the log of the checkpoint
 * @param absence what the map has where the tag belongs
 */
public record Omission(
        SignedNote promise, SealedEntry head, MapProof absence, SignedNote checkpoint, List<Rotation> rotations) {

    public static final String FORMAT = "tally-omission-v1";

    public Omission {
        rotations = List.copyOf(rotations);
    }

    /**
     * What an omission shows.
     *
     * @param cosignedAt when the witnesses saw the log without the job
     */
    public record Facts(AcceptancePromise promise, Standing standing, Instant cosignedAt) {

        /** As a person reads it. */
        public String words() {
            return "job " + promise.job() + " was to be in log " + promise.origin() + " by " + promise.sealedBy()
                    + "; witnesses saw the log without it at " + cosignedAt + ", at size "
                    + standing.checkpoint().size();
        }
    }

    /** Verifies an omission; any bytes may be given. */
    public static Verdict<Facts> verify(byte[] json, Trust trust) {
        return Verdict.of(bytes -> parse(bytes).facts(trust), json);
    }

    private Facts facts(Trust trust) {
        AcceptancePromise promised = SignedPromise.promised(promise, trust, rotations);
        Standing standing = Standing.of(checkpoint, rotations, trust);
        Hash root = head.asLastHead(standing.checkpoint()).root();
        switch (absence.check(promised.tag(), root).orElse(null)) {
            case MapProof.Shown.Absent absent -> {}
            case MapProof.Shown.Present present ->
                throw new IllegalArgumentException("the promise was kept: the log has the tag");
            case null -> throw new IllegalArgumentException("a proof does not lead to the root of the key map");
        }
        Instant at = standing.cosignedAt()
                .filter(time -> time.isAfter(promised.sealedBy()))
                .orElseThrow(() -> new IllegalArgumentException(
                        "no quorum of witnesses saw this checkpoint after " + promised.sealedBy()));
        return new Facts(promised, standing, at);
    }

    public static Omission parse(byte[] json) {
        JsonFields fields = Document.open("an omission", FORMAT, json);
        Document document = Document.parse(fields);
        Omission omission = new Omission(
                SignedNote.parse(fields.text("promise")),
                SealedEntry.parse(fields.object("head")),
                MapProofJson.read(fields.object("map")),
                document.checkpoint(),
                document.rotations());
        fields.end();
        return omission;
    }

    public Json json() {
        Map<String, Json> members = new TreeMap<>(new Document(checkpoint, rotations).json(FORMAT));
        members.put("promise", Json.of(promise.toString()));
        members.put("head", head.json());
        members.put("map", MapProofJson.write(absence));
        return new Json.ObjectValue(members);
    }
}
