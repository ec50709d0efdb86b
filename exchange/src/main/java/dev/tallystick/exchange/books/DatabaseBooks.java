package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.Participant;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SessionLimits;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The books of one side, as its database has them when it is first asked: it reads every posting once for the roots and the nodes
 * below them, and those of a day again if that day differs. Thread-safe.
 */
public final class DatabaseBooks implements Books {

    private final Database database;
    private final BooksStore store;
    private final Supplier<Map<Period, Map<String, String>>> nodes;
    private final Map<Period, Map<String, String>> leaves = new ConcurrentHashMap<>();

    private DatabaseBooks(Database database, BooksStore store) {
        this.database = database;
        this.store = store;
        this.nodes = new Once<>(() -> read(null, 1));
    }

    /** @param period null for all */
    private Map<Period, Map<String, String>> read(@Nullable Period period, int bytes) {
        return database.transact("hash the books", SessionLimits.LONG, tx -> {
            NodeSums sums = new NodeSums(bytes);
            store.open(tx, period);
            // Postgres reads the next ones while these are hashed.
            CompletableFuture<Boolean> hashing = CompletableFuture.completedFuture(true);
            List<NodeSums.Leaf> read;
            do {
                List<NodeSums.Leaf> next = store.next(tx);
                read = next;
                hashing.join();
                hashing = CompletableFuture.supplyAsync(() -> sums.addAll(next), Thread::startVirtualThread);
            } while (read.size() == BooksStore.FETCHED);
            hashing.join();
            return sums.nodes();
        });
    }

    /** Asks once, and remembers the answer. */
    private static final class Once<T> implements Supplier<T> {

        private final Supplier<T> source;
        private @Nullable T answer;

        Once(Supplier<T> source) {
            this.source = source;
        }

        @Override
        public synchronized T get() {
            T known = answer;
            if (known == null) {
                known = source.get();
                answer = known;
            }
            return known;
        }
    }

    public static DatabaseBooks ofProducer(Database database, Participant producer, Participant consumer) {
        return new DatabaseBooks(database, new BooksStore(BooksStore.Table.POSTED, producer, consumer));
    }

    public static DatabaseBooks ofConsumer(Database database, Participant producer, Participant consumer) {
        return new DatabaseBooks(database, new BooksStore(BooksStore.Table.RECEIVED, producer, consumer));
    }

    @Override
    public Map<Period, String> roots() {
        Map<Period, String> roots = new TreeMap<>();
        nodes.get().forEach((period, below) -> roots.put(period, hash(below)));
        return roots;
    }

    @Override
    public Map<String, String> nodes(Period period) {
        return nodes.get().getOrDefault(period, Map.of());
    }

    @Override
    public Map<String, String> nodes(Period period, String node) {
        Map<String, String> below = new TreeMap<>();
        leaves.computeIfAbsent(period, asked -> read(asked, 2).getOrDefault(asked, Map.of()))
                .forEach((leaf, hash) -> {
                    if (leaf.startsWith(node)) {
                        below.put(leaf, hash);
                    }
                });
        return below;
    }

    @Override
    public List<Entry> entries(Period period, Set<String> wanted) {
        return database.transact("read the books", SessionLimits.LONG, tx -> store.entries(tx, period, wanted));
    }

    private static String hash(Map<String, String> below) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            below.forEach((node, hash) -> {
                digest.update(HexFormat.of().parseHex(node));
                digest.update(HexFormat.of().parseHex(hash));
            });
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
