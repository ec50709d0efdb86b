package dev.tallystick.log.receipt;

import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.map.MapProof;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes the generations of a {@link KeyProof} from the key map of one checkpoint. */
public final class KeyProver {

    /** Proves from the map, such as {@code LogSnapshot::prove}. */
    @FunctionalInterface
    public interface Lookup {
        MapProof prove(Hash tag) throws IOException;
    }

    /** The id of the job behind a tag, with what opens its commitment; empty if the holder does not show it. */
    @FunctionalInterface
    public interface Jobs {
        Optional<Opened> find(Hash tag) throws IOException;
    }

    private KeyProver() {}

    /** All numbers of a key in one generation: up to the first that is absent. */
    public static KeyProof.Generation generation(MemberSecret secret, String key, Lookup map, Jobs jobs)
            throws IOException {
        List<KeyProof.Numbered> numbers = new ArrayList<>();
        for (int n = 0; ; n++) {
            Hash tag = secret.tag(MemberSecret.ACCEPT_DOOR, key, n);
            MapProof proof = map.prove(tag);
            boolean present = proof.leaf() != null && proof.leaf().tag().equals(tag);
            numbers.add(new KeyProof.Numbered(proof, present ? jobs.find(tag).orElse(null) : null));
            if (!present) {
                return new KeyProof.Generation(secret.secret(), map.prove(secret.position()), numbers);
            }
        }
    }
}
