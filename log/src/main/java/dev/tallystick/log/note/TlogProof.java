package dev.tallystick.log.note;

import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import java.util.ArrayList;
import java.util.List;

/**
 * A proof that an entry is in a log, in the text of C2SP tlog-proof: the entry's index, its siblings up to the root, and the
 * signed checkpoint. We write no extra data and refuse it.
 */
public record TlogProof(long index, List<Hash> hashes, SignedNote checkpoint) {

    private static final String HEADER = "c2sp.org/tlog-proof@v1";
    private static final String INDEX = "index ";

    public TlogProof {
        hashes = List.copyOf(hashes);
        if (index < 0 || hashes.size() > MerkleProofs.LONGEST) {
            throw new IllegalArgumentException("no proof for entry " + index + " with " + hashes.size() + " hashes");
        }
    }

    public static TlogProof parse(String text) {
        if (text.length() > SignedNote.LONGEST) {
            throw new IllegalArgumentException("a proof has at most 256 KiB");
        }
        String[] lines = text.split("\n", MerkleProofs.LONGEST + 4);
        if (lines.length < 3 || !lines[0].equals(HEADER) || !lines[1].startsWith(INDEX)) {
            throw new IllegalArgumentException("a proof begins with '" + HEADER + "' and the index of its entry");
        }
        List<Hash> hashes = new ArrayList<>();
        int length = lines[0].length() + lines[1].length() + 2;
        for (int i = 2; i < lines.length; i++) {
            length += lines[i].length() + 1;
            if (lines[i].isEmpty()) {
                long index = Checkpoint.decimal(lines[1].substring(INDEX.length()));
                return new TlogProof(index, hashes, SignedNote.parse(text.substring(Math.min(length, text.length()))));
            }
            hashes.add(Hash.parse(lines[i]));
        }
        throw new IllegalArgumentException("a proof has no checkpoint, or too many hashes");
    }

    /** Whether the entry is where the proof says, under the root of its checkpoint. Says nothing about the signatures. */
    public boolean includes(byte[] entry) {
        Checkpoint head = Checkpoint.parse(checkpoint.text());
        return MerkleProofs.includes(head.root(), head.size(), index, Hash.leaf(entry), hashes);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(HEADER + "\n" + INDEX + index + "\n");
        hashes.forEach(hash -> text.append(hash.base64()).append('\n'));
        return text.append('\n').append(checkpoint).toString();
    }
}
