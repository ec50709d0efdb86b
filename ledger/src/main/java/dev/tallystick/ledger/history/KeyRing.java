package dev.tallystick.ledger.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.ssh.SshSignature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A ledger's keys in the order in which they came into force: {@code keys/1}, {@code keys/2}, …. The first is the root key,
 * signed by itself; each later key is signed by the one before it. A key signs the commits from its position up to and
 * including the one that introduces its successor.
 */
public record KeyRing(List<KeyRing.Entry> entries) {

    /** The purpose of a key's signature over its successor, so that no other signature can stand in. */
    static final String NAMESPACE = "tally-key";

    /**
     * A key of the ring.
     *
     * @param from the first position that this key signs
     */
    public record Entry(int number, PublicKey key, long from, String signature) {

        private static final Pattern FILE = Pattern.compile(
                "tally-key-v1\nnumber ([1-9][0-9]{0,8})\nkey ([^\n]+)\nfrom (0|[1-9][0-9]{0,17})\n(.+)",
                Pattern.DOTALL);

        public static Entry signed(int number, PublicKey key, long from, SigningKey by) {
            return new Entry(number, key, from, by.sign(NAMESPACE, statement(number, key, from)));
        }

        public static Entry parse(byte[] file) throws DamagedObjectException {
            Matcher matcher = FILE.matcher(new String(file, UTF_8));
            if (!matcher.matches()) {
                throw new DamagedObjectException("a file under keys/ is not a key");
            }
            try {
                return new Entry(
                        Integer.parseInt(matcher.group(1)),
                        new PublicKey(matcher.group(2)),
                        Long.parseLong(matcher.group(3)),
                        matcher.group(4));
            } catch (IllegalArgumentException e) {
                throw new DamagedObjectException("a file under keys/ is not a key", e);
            }
        }

        public byte[] file() {
            return (new String(statement(number, key, from), UTF_8) + signature).getBytes(UTF_8);
        }

        boolean isSignedBy(PublicKey by) {
            return SshSignature.verifies(by, NAMESPACE, statement(number, key, from), signature);
        }

        private static byte[] statement(int number, PublicKey key, long from) {
            return ("tally-key-v1\nnumber " + number + "\nkey " + key + "\nfrom " + from + "\n").getBytes(UTF_8);
        }
    }

    public static KeyRing read(View view) throws IOException {
        Optional<Tree.Entry> directory = view.find(List.of(Layout.KEYS));
        List<Entry> entries = new ArrayList<>();
        if (directory.isPresent()) {
            for (Tree.Entry file : view.entries(directory.get().id())) {
                entries.add(Entry.parse(view.blob(file.id())));
            }
        }
        entries.sort(Comparator.comparingInt(Entry::number));
        return checked(entries);
    }

    /** The ring, if the one before vouches for each key. */
    public static KeyRing checked(List<Entry> entries) throws DamagedObjectException {
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            Entry by = entries.get(Math.max(i - 1, 0));
            boolean later = i == 0 ? entry.from == 0 : entry.from > by.from;
            if (entry.number != i + 1 || !later || !entry.isSignedBy(by.key)) {
                throw new DamagedObjectException("key " + (i + 1) + " is not vouched for by the key before it");
            }
        }
        if (entries.isEmpty()) {
            throw new DamagedObjectException("the ledger has no keys");
        }
        return new KeyRing(List.copyOf(entries));
    }

    public PublicKey root() {
        return entries.getFirst().key;
    }

    public Entry newest() {
        return entries.getLast();
    }
}
