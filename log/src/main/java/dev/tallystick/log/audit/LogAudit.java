package dev.tallystick.log.audit;

import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.files.MapLeaves;
import dev.tallystick.log.map.DuplicateTagException;
import dev.tallystick.log.map.KeyMap;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.TlogProof;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.SealedEntry;
import dev.tallystick.log.ring.KeyRing;
import dev.tallystick.log.ring.Rotation;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import dev.tallystick.log.tree.RightEdge;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.log.tree.TiledSubtrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Audits the directory of a log. Reads every entry once, in order; needs memory for the indexes of closed jobs, a file for the map. */
public final class LogAudit {

    private static final int MOST_FINDINGS = 100;

    private final Path directory;
    private final MemberAudit members;
    private final List<Finding> findings = new ArrayList<>();
    private final List<MapLeaf> leaves = new ArrayList<>();
    private final Map<Long, Hash> secrets = new HashMap<>();
    private final Set<Long> closed = new HashSet<>();
    private final Set<Long> erased = new HashSet<>();
    private final List<TileLevel> levels = new ArrayList<>();
    private RightEdge edge = RightEdge.EMPTY;
    private RightEdge beforeRotation = RightEdge.EMPTY;
    private byte @Nullable [] rotation;
    private RightEdge beforeLast = RightEdge.EMPTY;
    private byte[] last = {};
    private KeyRing keys;
    private long heads;
    private boolean cleanBeforeTail;
    private LogEntry.@Nullable Succession succeeds;
    private final @Nullable Hash wanted;
    private @Nullable TagProof proof;

    private LogAudit(Path directory, VerifierKey rootKey, MemberAudit members, @Nullable Hash wanted) {
        this.directory = directory;
        this.members = members;
        this.keys = KeyRing.of(rootKey);
        this.wanted = wanted;
    }

    /**
     * What an audit found.
     *
     * @param heads how many heads were compared with the map built from the entries
     * @param succeeds what the log says of the one that it succeeds; null if it is the first
     */
    public record Report(long size, long heads, LogEntry.@Nullable Succession succeeds, List<Finding> findings) {

        public boolean isClean() {
            return findings.isEmpty();
        }
    }

    /**
     * Audits the log in a directory.
     *
     * @param members what the auditor was shown; without it the tags are not checked
     */
    public static Report audit(Path directory, VerifierKey rootKey, MemberAudit members) throws IOException {
        return new LogAudit(directory, rootKey, members, null).run();
    }

    /**
     * What a log has for a tag.
     *
     * @param proof empty if the log has findings: it proves nothing then
     */
    public record Lookup(Report report, Optional<TagProof> proof) {}

    /** Audits the log in a directory, and looks a tag up in its map. */
    public static Lookup lookUp(Path directory, VerifierKey rootKey, Hash tag) throws IOException {
        LogAudit audit = new LogAudit(directory, rootKey, new MemberAudit(), tag);
        Report report = audit.run();
        return new Lookup(report, report.isClean() ? Optional.ofNullable(audit.proof) : Optional.empty());
    }

    private Report run() throws IOException {
        SignedNote note;
        Checkpoint checkpoint;
        try {
            note = SignedNote.parse(Files.readAllBytes(directory.resolve("checkpoint")));
            checkpoint = Checkpoint.parse(note.text());
        } catch (IllegalArgumentException | java.nio.file.NoSuchFileException e) {
            found("checkpoint", "missing or malformed: " + e.getMessage());
            return new Report(0, 0, null, List.copyOf(findings));
        }
        Path scratch = Files.createTempFile("tally-audit", ".map");
        try (KeyMap map = KeyMap.create(scratch)) {
            for (long index = 0;
                    index * TilePath.FULL < checkpoint.size() && findings.size() < MOST_FINDINGS;
                    index++) {
                bundle(index, checkpoint.size(), map);
            }
            if (wanted != null && findings.isEmpty() && edge.size() > 0) {
                proof = prove(wanted, note, map);
            }
        } finally {
            Files.deleteIfExists(scratch);
        }
        if (!edge.root().equals(checkpoint.root()) || edge.size() != checkpoint.size()) {
            long full = checkpoint.size() / TilePath.FULL * TilePath.FULL;
            // If the entries before the tail are those that the tiles have, one in the tail is not, or the checkpoint.
            String tail = "; look at entry " + full + " and later, in tail/" + checkpoint.size();
            found("checkpoint", "its root is not that of the entries" + (cleanBeforeTail ? tail : ""));
        }
        if (!leaves.isEmpty()) {
            found("checkpoint", "entries after the last head");
        }
        try {
            keys.verify(note);
        } catch (IllegalArgumentException e) {
            found("checkpoint", String.valueOf(e.getMessage()));
        }
        return new Report(checkpoint.size(), heads, succeeds, List.copyOf(findings));
    }

    private TagProof prove(Hash tag, SignedNote note, KeyMap map) throws IOException {
        long index = edge.size() - 1;
        EdgeSubtrees subtrees = new EdgeSubtrees(beforeLast, List.of(Hash.leaf(last)));
        List<Hash> inclusion = MerkleProofs.inclusion(index, edge.size(), subtrees);
        SealedEntry head = new SealedEntry(index, LogEntry.parse(last), inclusion, Map.of());
        return new TagProof(note, keys.rotations(), head, map.prove(tag));
    }

    private void bundle(long index, long size, KeyMap map) throws IOException {
        int width = (int) Math.min(TilePath.FULL, size - index * TilePath.FULL);
        boolean full = width == TilePath.FULL;
        cleanBeforeTail = !full && findings.isEmpty();
        String name = full ? new TilePath(TilePath.ENTRIES, index, width).path() : "tail/" + size;
        List<byte[]> entries;
        try {
            entries = EntryBundle.decode(Files.readAllBytes(directory.resolve(name)));
        } catch (IllegalArgumentException | java.nio.file.NoSuchFileException e) {
            found(name, "missing or malformed: " + e.getMessage());
            return;
        }
        if (entries.size() != width) {
            found(name, "has " + entries.size() + " entries, not " + width);
        }
        byte[] leavesOfTile = full ? tile(0, index) : new byte[0];
        for (int i = 0; i < Math.min(width, entries.size()); i++) {
            long at = index * TilePath.FULL + i;
            Hash leaf = Hash.leaf(entries.get(i));
            if (leavesOfTile.length > 0 && !leaf.equals(Hash.at(leavesOfTile, i * Hash.BYTES))) {
                found("entry " + at, "is not the one in " + new TilePath(0, index, TilePath.FULL).path());
            }
            RightEdge before = edge;
            edge = edge.append(leaf);
            beforeLast = before;
            last = entries.get(i);
            level(0, leaf, at);
            if (rotation != null) {
                rotated(at - 1, rotation, beforeRotation, leaf);
                rotation = null;
            }
            if (entry(at, entries.get(i), map)) {
                rotation = entries.get(i);
                beforeRotation = before;
            }
        }
    }

    /** Gathers the hashes of a level, and compares each full tile with its file. */
    private void level(int level, Hash hash, long index) throws IOException {
        if (level == levels.size()) {
            levels.add(new TileLevel());
        }
        TileLevel gathered = levels.get(level);
        gathered.hashes.add(hash);
        if (gathered.hashes.size() < TilePath.FULL) {
            return;
        }
        byte[] tile = new byte[TilePath.FULL * Hash.BYTES];
        for (int i = 0; i < TilePath.FULL; i++) {
            gathered.hashes.get(i).copyTo(tile, i * Hash.BYTES);
        }
        gathered.hashes.clear();
        long number = index / TilePath.FULL;
        byte[] there = tile(level, number);
        if (there.length > 0 && !Arrays.equals(there, tile)) {
            found(new TilePath(level, number, TilePath.FULL).path(), "has other hashes than the entries give");
        }
        level(level + 1, TiledSubtrees.subtree(tile, 0, TilePath.FULL), number);
    }

    private static final class TileLevel {
        private final List<Hash> hashes = new ArrayList<>();
    }

    private byte[] tile(int level, long index) throws IOException {
        String name = new TilePath(level, index, TilePath.FULL).path();
        Path file = directory.resolve(name);
        if (!Files.isRegularFile(file) || Files.size(file) != (long) TilePath.FULL * Hash.BYTES) {
            found(name, "missing, or not 8,192 bytes long");
            return new byte[0];
        }
        return Files.readAllBytes(file);
    }

    /** Audits an entry, and says whether it rotates the key. */
    private boolean entry(long index, byte[] bytes, KeyMap map) throws IOException {
        LogEntry entry;
        try {
            entry = LogEntry.parse(bytes);
        } catch (IllegalArgumentException e) {
            found("entry " + index, "malformed: " + e.getMessage());
            return false;
        }
        switch (entry) {
            case LogEntry.MapHead head -> head(index, head, map);
            case LogEntry.Accepted accepted -> accepted(index, accepted);
            case LogEntry.Closed once -> {
                Long accepted = once.accepted();
                if (accepted != null && !closed.add(accepted)) {
                    found("entry " + index, "closes the job of entry " + accepted + " a second time");
                }
            }
            case LogEntry.SecretCommitted secret -> {
                secrets.put(index, secret.position());
                if (members.knows(secret.position()) && !members.commits(secret.position(), secret.commitment())) {
                    found("entry " + index, "commits to another secret than the one that was shown for this member");
                }
            }
            case LogEntry.KeyRotation rotated -> {}
            case LogEntry.Succession begun -> succession(index, begun);
            case LogEntry.Erased once -> {
                Long accepted = once.accepted();
                if (accepted != null && !erased.add(accepted)) {
                    found("entry " + index, "erases the job of entry " + accepted + " a second time");
                }
            }
            case LogEntry.OperatorAction action -> {}
            case LogEntry.ExchangeDocument document -> {}
        }
        MapLeaves.of(entry).ifPresent(leaves::add);
        return entry instanceof LogEntry.KeyRotation;
    }

    private void succession(long index, LogEntry.Succession begun) {
        if (index != 0) {
            found("entry " + index, "a succession is the first entry of its log");
        } else if (begun.log().name().equals(keys.origin())) {
            found("entry " + index, "the log names itself as the one that it succeeds");
        }
        succeeds = begun;
    }

    private void accepted(long index, LogEntry.Accepted accepted) {
        Hash tag = accepted.tag();
        Long secret = accepted.secret();
        if (secret == null) {
            return;
        }
        Hash position = secrets.get(secret);
        if (position == null) {
            found("entry " + index, "names entry " + secret + ", which commits to no secret");
        } else if (tag != null && members.knows(position) && !members.explains(position, tag)) {
            found("entry " + index, "has a tag that is of no key shown for its member");
        }
    }

    private void head(long index, LogEntry.MapHead head, KeyMap map) throws IOException {
        heads++;
        insert(index, map);
        boolean same = head.covers() == index
                && head.root().equals(map.version().root())
                && head.count() == map.version().count();
        if (!same) {
            found("entry " + index, "the head names another key map than the entries give");
        }
        leaves.clear();
    }

    /** A batch with a duplicate is inserted without it, so that what follows is audited as well. */
    private void insert(long index, KeyMap map) throws IOException {
        List<MapLeaf> batch = new ArrayList<>(leaves);
        while (true) {
            try {
                map.append(map.insertion(index + 1, batch));
                return;
            } catch (DuplicateTagException e) {
                found(
                        "entry " + index,
                        "its batch has the tag " + e.tag()
                                + " a second time: a second acceptance of a key, or a second secret of a member");
                Hash tag = e.tag();
                batch.removeIf(leaf -> leaf.tag().equals(tag));
            }
        }
    }

    /** The checkpoint that ends with this head and was the last of its key must prove the entry right before it. */
    private void rotated(long index, byte[] rotation, RightEdge before, Hash headLeaf) throws IOException {
        long size = index + 2;
        String name = "rotation/" + size;
        if (before.size() != index) {
            return; // entries before it are missing, which was found already
        }
        try {
            SignedNote note = SignedNote.parse(Files.readAllBytes(directory.resolve(name)));
            EdgeSubtrees subtrees = new EdgeSubtrees(before, List.of(Hash.leaf(rotation), headLeaf));
            List<Hash> proof = MerkleProofs.inclusion(index, size, subtrees);
            keys = keys.with(new Rotation(rotation, new TlogProof(index, proof, note)));
        } catch (IllegalArgumentException | java.nio.file.NoSuchFileException e) {
            found(name, "does not prove the rotation in entry " + index + ": " + e.getMessage());
        }
    }

    private void found(String where, String what) {
        if (findings.size() < MOST_FINDINGS) {
            findings.add(new Finding(where, what));
        }
    }
}
