package dev.tallystick.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A table of effects by key, which the tests write and read back. */
final class EffectStore {

    private static final String CREATE = """
            create table effect (
                key    text primary key check (key <> 'poison'),
                amount int  not null
            )
            """;

    private static final String CREATE_ACCOUNT = """
            create table account (
                id      text primary key,
                balance int  not null
            )
            """;

    private static final String INSERT = "insert into effect (key, amount) values (?, 1)";
    private static final String INSERT_ONCE = INSERT + " on conflict do nothing";
    private static final String KEYS = "select key from effect";

    static void create(Database database) {
        database.transact("create", tx -> {
            tx.update(CREATE);
            tx.update(CREATE_ACCOUNT);
            return null;
        });
    }

    static Work<Integer> insert(String key) {
        return tx -> tx.update(INSERT, key);
    }

    /** In one round trip with COMMIT, if nothing follows. */
    static Work<String> insertLater(String key) {
        return insertLater(key, new ArrayList<>());
    }

    /** @param inserted receives the key when it was inserted */
    static Work<String> insertLater(String key, List<String> inserted) {
        return tx -> {
            tx.queryLater(INSERT + " returning key", row -> inserted.add(row.getString("key")), key);
            return key;
        };
    }

    static Work<Integer> insertOnce(String key) {
        return tx -> tx.update(INSERT_ONCE, key);
    }

    static List<String> keys(Database database) {
        return database.transact("read keys", EffectStore::keys);
    }

    static List<String> keys(Tx tx) throws SQLException {
        return tx.query(KEYS, row -> row.getString("key"));
    }

    private EffectStore() {}
}
