package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.verifier.git.Unsound;
import dev.tallystick.ledger.verifier.signature.SshKey;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The keys met so far, each vouched for by the one before. */
final class Ring {

    private record Key(SshKey key, long from) {}

    private static final Pattern FILE = Pattern.compile(
            "(tally-key-v1\nnumber (\\d{1,9})\nkey (ssh-ed25519 [A-Za-z0-9+/=]+)\nfrom (0|[1-9][0-9]{0,17})\n)(.+)",
            Pattern.DOTALL);

    private final List<Key> keys = new ArrayList<>();

    /** Adds {@code keys/<n>}. */
    void add(String name, byte[] file) throws Unsound {
        Matcher parts = FILE.matcher(new String(file, UTF_8));
        if (!parts.matches() || !name.equals(Integer.toString(keys.size() + 1)) || !name.equals(parts.group(2))) {
            throw new Unsound("is not the next key");
        }
        Key key = new Key(SshKey.parse(parts.group(3)), Long.parseLong(parts.group(4)));
        Key by = keys.isEmpty() ? key : keys.getLast();
        boolean later = keys.isEmpty() ? key.from == 0 : key.from > by.from;
        byte[] statement = parts.group(1).getBytes(UTF_8);
        if (!later || !by.key.hasSigned("tally-key", statement, parts.group(5))) {
            throw new Unsound("is not vouched for by the key before it");
        }
        keys.add(key);
    }

    int size() {
        return keys.size();
    }

    String root() {
        return keys.isEmpty() ? "" : keys.getFirst().key.line();
    }

    /** The key that came last, or empty if there is none. */
    String newest() {
        return keys.isEmpty() ? "" : keys.getLast().key.line();
    }

    long newestFrom() {
        return keys.getLast().from;
    }

    /** The key that signs at {@code position}, or null if there is none. */
    @Nullable
    SshKey at(long position) {
        SshKey inForce = null;
        for (Key key : keys) {
            inForce = key.from <= position ? key.key : inForce;
        }
        return inForce;
    }
}
