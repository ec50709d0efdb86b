package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a commit that joins two histories makes of their streams: nothing of either may be lost. */
final class JoinedStreams {

    private final Streams streams;
    private final Findings findings;
    private final MerkleRoot leaves;
    private final JoinedHistories histories;
    private long added;
    private String schemas = "";

    /** The transaction being looked at, if any. */
    private String at = "";

    /** The directories that were looked at. */
    private final Set<String> met = new HashSet<>();

    JoinedStreams(Streams streams, Findings findings, MerkleRoot leaves) {
        this.streams = streams;
        this.findings = findings;
        this.leaves = leaves;
        this.histories = new JoinedHistories(streams);
    }

    /** Compares the trees of documents of both parents and of their child; returns how many transactions are new. */
    long check(String first, String second, String child, String schemaTree) throws IOException {
        schemas = schemaTree;
        check("documents", 0, first, second, child);
        return added;
    }

    private void check(String path, int level, String first, String second, String child) throws IOException {
        if (child.equals(first) && child.equals(second)) {
            return;
        }
        at = "";
        try {
            if (level == Streams.LEVELS) {
                stream(path, first, second, child);
                return;
            }
            Tree one = streams.tree(first);
            Tree other = streams.tree(second);
            Tree joined = streams.tree(child);
            TreeSet<String> names = new TreeSet<>();
            Tree.differences(one, joined).forEach(difference -> names.add(difference.name()));
            Tree.differences(other, joined).forEach(difference -> names.add(difference.name()));
            for (String name : names) {
                Tree.Entry entry = joined.find(name);
                if (entry == null) {
                    findings.add(Finding.Kind.HISTORY, path + "/" + name, "is lost where two histories are joined");
                } else if (!entry.isDirectory()) {
                    findings.add(Finding.Kind.HISTORY, path + "/" + name, "is not a directory");
                } else if (level + 1 < Streams.LEVELS && !met.add(entry.id())) {
                    findings.add(Finding.Kind.HISTORY, path + "/" + name, Streams.BELONGS_ELSEWHERE);
                } else {
                    check(path + "/" + name, level + 1, one.id(name), other.id(name), entry.id());
                }
            }
        } catch (Unsound e) {
            if (level == Streams.LEVELS) {
                findings.add(Finding.Kind.STREAM, streams.named(path, child, first, second), at, e.detail());
            } else {
                findings.add(Finding.Kind.OBJECT, path, e.detail());
            }
        }
    }

    private void stream(String path, String first, String second, String child) throws IOException, Unsound {
        if (child.equals(first)) {
            demand(second.isEmpty() || contains(first, second), "transactions of the second history are lost");
            return;
        }
        if (child.equals(second)) {
            demand(first.isEmpty() || contains(second, first), "transactions of the first history are lost");
            return;
        }
        demand(!first.isEmpty() && !second.isEmpty(), "it is what neither history had");
        Map<Integer, String> versions = new TreeMap<>();
        streams.collectAdded(first, child, "", versions, new HashSet<>());
        int number = streams.newest(first) + 1;
        demand(versions.keySet().equals(Set.of(number)), "more than the joining transaction was added");
        at = Integer.toString(number);
        Transaction merge = streams.transaction(child, number);
        at = merge.id();
        demand(
                merge.isMerge()
                        && merge.parent().equals(streams.head(first))
                        && merge.merged().equals(streams.head(second)),
                "it does not join the two heads");
        demand(merge.hash().equals(streams.head(child)), "HEAD does not name the newest transaction");
        Streams.checkPlace(path, merge);
        streams.checkDocument(child, number, merge, schemas);
        streams.checkMerge(
                merge, first, second, histories.commonAncestor(first, second).orElse(null), schemas);
        List<Tree.Difference> joined = Tree.differences(histories.joined(first), histories.joined(child));
        Tree.Entry other = joined.size() == 1 ? joined.getFirst().after() : null;
        demand(
                other != null
                        && joined.getFirst().before() == null
                        && other.isDirectory()
                        && other.name().equals(Integer.toString(number))
                        && other.id().equals(second),
                "the second history does not lie beside the first");
        leaves.addTransaction(merge.hash());
        added++;
    }

    /** Whether the newest transaction of {@code part} is one of {@code whole}, with what was joined to it. */
    private boolean contains(String whole, String part) throws IOException, Unsound {
        int number = streams.newest(part);
        return histories.contains(whole, new JoinedHistories.Version(part, number));
    }

    private static void demand(boolean holds, String complaint) throws Unsound {
        if (!holds) {
            throw new Unsound(complaint);
        }
    }
}
