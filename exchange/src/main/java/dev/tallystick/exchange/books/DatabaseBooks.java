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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The books of one side, as its database has them when it is first asked: it reads every posting once, and then answers from
 * memory, except for single postings. Thread-safe.
 */
public final class DatabaseBooks implements Books {

    private static final int NODE_DIGITS = 2;

    private final Database database;
    private final BooksStore store;
    private final Supplier<Map<Period, Map<String, byte[]>>> nodes;

    private DatabaseBooks(Database database, BooksStore store) {
        this.database = database;
        this.store = store;
        this.nodes = new Once<>(this::read);
    }

    private Map<Period, Map<String, byte[]>> read() {
        return database.transact("hash the books", SessionLimits.LONG, tx -> {
            NodeSums sums = new NodeSums();
            store.open(tx);
            boolean more = true;
            while (more) {
                more = store.next(tx, sums);
            }
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
        nodes.get().keySet().forEach(period -> roots.put(period, hash(nodes(period))));
        return roots;
    }

    @Override
    public Map<String, String> nodes(Period period) {
        Map<String, Map<String, String>> byFirst = new TreeMap<>();
        nodes.get()
                .getOrDefault(period, Map.of())
                .forEach((node, hash) -> byFirst.computeIfAbsent(
                                node.substring(0, NODE_DIGITS), first -> new TreeMap<>())
                        .put(node, HexFormat.of().formatHex(hash)));
        return byFirst.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> hash(entry.getValue()), (one, other) -> one, TreeMap::new));
    }

    @Override
    public Map<String, String> nodes(Period period, String node) {
        Map<String, String> below = new TreeMap<>();
        nodes.get().getOrDefault(period, Map.of()).forEach((each, hash) -> {
            if (each.startsWith(node)) {
                below.put(each, HexFormat.of().formatHex(hash));
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
