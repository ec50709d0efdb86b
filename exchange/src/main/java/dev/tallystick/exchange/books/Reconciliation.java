package dev.tallystick.exchange.books;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The differences between two sides' books. Asks for the roots of all periods, and descends only where hashes differ: for d
 * differences among n postings it asks the partner O(d · log n) questions, whatever the partner's books contain otherwise.
 *
 * @param questions how often the partner was asked
 */
public record Reconciliation(List<Difference> differences, int questions) {

    /** A posting about which the books differ; the status is {@code -} on the side that lacks it. */
    public record Difference(Period period, String id, IssueKind kind, String ours, String theirs) {

        static final String NONE = "-";
    }

    public Reconciliation {
        differences = List.copyOf(differences);
    }

    public static Reconciliation between(Books ours, Books theirs) {
        return new Search(ours, theirs).run();
    }

    private static final class Search {

        private final Books ours;
        private final Books theirs;
        private final List<Difference> found = new ArrayList<>();
        private int questions;

        Search(Books ours, Books theirs) {
            this.ours = ours;
            this.theirs = theirs;
        }

        Reconciliation run() {
            questions++;
            // Both sides read all their postings for this, so let them do it at the same time.
            CompletableFuture<Map<Period, String>> partners =
                    CompletableFuture.supplyAsync(theirs::roots, Thread::startVirtualThread);
            Map<Period, String> mine = ours.roots();
            for (Period period : differing(mine, answer(partners))) {
                questions++;
                Set<String> leaves = new TreeSet<>();
                for (String node : differing(ours.nodes(period), theirs.nodes(period))) {
                    questions++;
                    leaves.addAll(differing(ours.nodes(period, node), theirs.nodes(period, node)));
                }
                questions++;
                compare(period, ours.entries(period, leaves), theirs.entries(period, leaves));
            }
            return new Reconciliation(found, questions);
        }

        private static <T> T answer(CompletableFuture<T> asked) {
            try {
                return asked.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException failure ? failure : e;
            }
        }

        private static <K extends Comparable<K>> Set<K> differing(Map<K, String> one, Map<K, String> other) {
            Set<K> keys = new TreeSet<>(one.keySet());
            keys.addAll(other.keySet());
            keys.removeIf(key -> Objects.equals(one.get(key), other.get(key)));
            return keys;
        }

        private void compare(Period period, List<Books.Entry> mine, List<Books.Entry> partners) {
            Map<String, Books.Entry> left = new HashMap<>();
            partners.forEach(entry -> left.put(entry.id(), entry));
            for (Books.Entry entry : mine) {
                Books.Entry other = left.remove(entry.id());
                if (other == null) {
                    found.add(new Difference(
                            period, entry.id(), IssueKind.MISSING_AT_PARTNER, entry.status(), Difference.NONE));
                } else if (!other.hash().equals(entry.hash())) {
                    found.add(
                            new Difference(period, entry.id(), IssueKind.BOOKS_DIFFER, entry.status(), other.status()));
                }
            }
            left.values().stream()
                    .map(entry ->
                            new Difference(period, entry.id(), IssueKind.MISSING_HERE, Difference.NONE, entry.status()))
                    .forEach(found::add);
        }
    }
}
