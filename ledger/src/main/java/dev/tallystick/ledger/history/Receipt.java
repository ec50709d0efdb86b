package dev.tallystick.ledger.history;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.tx.TxHash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Proves a transaction with nothing but this file and the ledger's root key: the transaction, its path to the root of its
 * commit, the path from there to a root signed by the current key, and the keys.
 */
public record Receipt(Json json) {

    /** The contents of a receipt file. */
    public String text() {
        return json.canonical() + "\n";
    }

    public static Receipt of(ObjectStore store, Chain chain, View view, StreamView stream, int version)
            throws IOException {
        Chain.Link signed = chain.newest(view.commit())
                .orElseThrow(() -> new DamagedObjectException("no commit of this repository has a root"));
        byte[] transaction = stream.bytes(version);
        Leaf leaf = Leaf.of(TxHash.of(transaction));
        List<Json> newestFirst = new ArrayList<>();
        List<Leaf> leaves = List.of();
        Optional<Chain.Link> from = Optional.of(signed);
        while (from.isPresent() && !leaves.contains(leaf)) {
            Chain.Link holder = holder(store, chain, from.get(), stream, version);
            roots(chain, holder, from.get(), newestFirst);
            leaves = CommitLeaves.of(store, holder.commit());
            from = chain.joined(holder);
        }
        Map<String, Json> members = new TreeMap<>();
        members.put("version", Json.of(1));
        members.put("transaction", base64(transaction));
        members.put("path", path(Merkle.path(leaves, leaf)));
        members.put("roots", new Json.ArrayValue(newestFirst.reversed()));
        members.put("commit", base64(store.read(signed.id(), ObjectType.COMMIT)));
        members.put("keys", keys(view, signed.root().position()));
        return new Receipt(new Json.ObjectValue(members));
    }

    /** The oldest commit that has the version, found by skipping back as long as the version is there. */
    private static Chain.Link holder(ObjectStore store, Chain chain, Chain.Link newest, StreamView stream, int version)
            throws IOException {
        Chain.Link at = newest;
        while (true) {
            Chain.Link skip = at.root().position() == 0 ? at : chain.skip(at);
            if (skip.root().position() < at.root().position() && has(store, skip, stream, version)) {
                at = skip;
                continue;
            }
            Chain.Link before = chain.before(at).orElse(at);
            if (before.equals(at) || !has(store, before, stream, version)) {
                return at;
            }
            at = before;
        }
    }

    private static boolean has(ObjectStore store, Chain.Link link, StreamView wanted, int version) throws IOException {
        View view = new View(store, link.id(), link.commit().tree());
        var stream = view.stream(wanted.id());
        return stream.isPresent() && stream.get().contains(wanted, version);
    }

    /** The roots from one to an earlier one of its chain, each naming the next as previous or skip. */
    private static void roots(Chain chain, Chain.Link from, Chain.Link to, List<Json> newestFirst) throws IOException {
        Chain.Link at = to;
        newestFirst.add(Json.of(at.root().lines()));
        while (at.root().position() > from.root().position()) {
            boolean skips =
                    ChainRoot.skipTarget(at.root().position()) >= from.root().position();
            at = skips
                    ? chain.skip(at)
                    : chain.before(at).orElseThrow(() -> new DamagedObjectException("the chain of roots is broken"));
            newestFirst.add(Json.of(at.root().lines()));
        }
    }

    private static Json path(List<Merkle.Step> steps) {
        List<Json> path = new ArrayList<>();
        for (Merkle.Step step : steps) {
            String side = step.siblingIsLeft() ? "left" : "right";
            path.add(new Json.ObjectValue(Map.of(side, Json.of(step.sibling()))));
        }
        return new Json.ArrayValue(path);
    }

    private static Json keys(View view, long position) throws IOException {
        List<Json> keys = new ArrayList<>();
        for (KeyRing.Entry entry : KeyRing.read(view).entries()) {
            if (entry.from() <= position) {
                keys.add(Json.of(new String(entry.file(), java.nio.charset.StandardCharsets.UTF_8)));
            }
        }
        return new Json.ArrayValue(keys);
    }

    private static Json base64(byte[] bytes) {
        return Json.of(Base64.getEncoder().encodeToString(bytes));
    }
}
