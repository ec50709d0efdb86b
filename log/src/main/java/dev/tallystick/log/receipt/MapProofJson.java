package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.JsonFields;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.map.MapProof;
import dev.tallystick.log.tree.Hash;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Proofs from the key map, in JSON. */
final class MapProofJson {

    private MapProofJson() {}

    static Json write(MapProof proof) {
        Map<String, Json> members = new TreeMap<>();
        members.put("siblings", SealedEntry.hashes(proof.siblings()));
        MapLeaf leaf = proof.leaf();
        if (leaf != null) {
            members.put(
                    "leaf",
                    new Json.ObjectValue(Map.of(
                            "tag", Json.of(leaf.tag().base64()),
                            "commitment", Json.of(leaf.commitment().base64()))));
        }
        return new Json.ObjectValue(members);
    }

    static MapProof read(JsonFields fields) {
        List<Hash> siblings = SealedEntry.parseHashes(fields.list("siblings", MapProof.LONGEST));
        MapLeaf leaf = fields.findObject("leaf").map(MapProofJson::leaf).orElse(null);
        fields.end();
        return new MapProof(siblings, leaf);
    }

    private static MapLeaf leaf(JsonFields fields) {
        MapLeaf leaf = new MapLeaf(fields.hash("tag"), fields.hash("commitment"));
        fields.end();
        return leaf;
    }
}
