package dev.tallystick.keys;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Ids;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Shared by the tests of this module: the schema, and short ways to write keys, claims and fingerprints. */
final class TestKeys {

    static final KeyRetention RETENTION = KeyRetention.DEFAULT;
    static final KeyOwner OWNER = new KeyOwner("instance-1");
    static final KeyOwner STRANGER = new KeyOwner("instance-2");

    static final Destination WORKFLOW = Destination.parse("workflow:order");
    static final Fingerprint ORDER = fingerprint(1);
    static final Fingerprint OTHER_ORDER = fingerprint(2);

    private static final Ids IDS = new Ids(Clock.systemUTC(), RandomGenerator.getDefault());

    static TestPostgres postgres() {
        return TestPostgres.perClass()
                .prepared("keys", source -> KeySchema.migrations().migrate(Database.on(source)));
    }

    /** The database of the class, without the rows of earlier tests. */
    static Database emptied(TestPostgres postgres) {
        Database database = Database.on(postgres.dataSource());
        database.transact("start afresh", tx -> tx.update("delete from tally.key"));
        return database;
    }

    static Ids ids() {
        return IDS;
    }

    static UUID id() {
        return IDS.next();
    }

    static ScopedKey key(String key) {
        return ScopedKey.of(key);
    }

    static Fingerprint fingerprint(int filler) {
        byte[] bytes = new byte[32];
        Arrays.fill(bytes, (byte) filler);
        return Fingerprint.of(bytes);
    }

    static AcceptClaim accepting(String key, Fingerprint fingerprint) {
        return new AcceptClaim(key(key), fingerprint, WORKFLOW, id());
    }

    static ReserveClaim reserving(String key, Fingerprint fingerprint) {
        return new ReserveClaim(key(key), fingerprint, id(), OWNER, false);
    }

    static ReserveClaim reservingTransactionally(String key, Fingerprint fingerprint) {
        return new ReserveClaim(key(key), fingerprint, id(), OWNER, true);
    }

    /** Ends the retention of every final answer. */
    static void expireEverything(Database database) {
        database.transact("let time pass", tx -> tx.update("""
            update tally.key
            set expires_at = now() - interval '2 hours'
            where expires_at is not null
            """));
    }

    static List<String> keysInTable(Database database) {
        return database.transact(
                "read all keys", tx -> tx.query("select key from tally.key order by key", row -> row.getString("key")));
    }

    private TestKeys() {}
}
