package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.log.entry.JsonFields;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.TlogProof;
import dev.tallystick.log.ring.KeyRing;
import dev.tallystick.log.ring.Rotation;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What receipts and key proofs have in common: a format, a checkpoint, and the rotations of keys up to it. */
record Document(SignedNote checkpoint, List<Rotation> rotations) {

    /** The longest document that is read. */
    static final int LONGEST = 8 * 1024 * 1024;

    private static final JsonLimits LIMITS = new JsonLimits(LONGEST, 64);

    static JsonFields open(String what, String format, byte[] json) {
        JsonFields fields = JsonFields.of(what, Json.parse(json, LIMITS));
        String there = fields.text("format");
        if (!there.equals(format)) {
            throw new IllegalArgumentException(what + " has the format '" + format + "', not another one");
        }
        return fields;
    }

    static Document parse(JsonFields fields) {
        List<Rotation> rotations = new ArrayList<>();
        for (Json each : fields.list("rotations", KeyRing.MOST_ROTATIONS)) {
            JsonFields rotation = JsonFields.of("a rotation", each);
            byte[] entry = Base64.getDecoder().decode(rotation.text("entry"));
            rotations.add(new Rotation(entry, TlogProof.parse(rotation.text("proof"))));
            rotation.end();
        }
        return new Document(SignedNote.parse(fields.text("checkpoint")), rotations);
    }

    Map<String, Json> json(String format) {
        Map<String, Json> members = new TreeMap<>();
        members.put("format", Json.of(format));
        members.put("checkpoint", Json.of(checkpoint.toString()));
        if (!rotations.isEmpty()) {
            members.put(
                    "rotations",
                    new Json.ArrayValue(rotations.stream().map(Document::json).toList()));
        }
        return members;
    }

    private static Json json(Rotation rotation) {
        return new Json.ObjectValue(Map.of(
                "entry", Json.of(Base64.getEncoder().encodeToString(rotation.entry())),
                "proof", Json.of(rotation.proof().toString())));
    }
}
