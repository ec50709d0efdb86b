package dev.tallystick.keys;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.TestPostgres;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** A user table in which handlers write a row for each of their effects. */
final class Effects {

    static TestPostgres postgres() {
        return TestPostgres.perClass().prepared("keys and effects", Effects::prepare);
    }

    private static void prepare(DataSource source) {
        Database database = Database.on(source);
        KeySchema.migrations().migrate(database);
        database.transact("create effects", tx -> tx.update("create table effect (key text not null)"));
    }

    /** The database of the class, without the rows of earlier tests. */
    static Database emptied(TestPostgres postgres) {
        Database database = TestKeys.emptied(postgres);
        database.transact("start afresh", tx -> tx.update("delete from effect"));
        return database;
    }

    static void happen(Tx tx, ScopedKey key) throws SQLException {
        tx.update("insert into effect (key) values (?)", key.key().value());
    }

    static List<String> all(Database database) {
        return database.transact(
                "read effects", tx -> tx.query("select key from effect order by key", row -> row.getString("key")));
    }

    private Effects() {}
}
