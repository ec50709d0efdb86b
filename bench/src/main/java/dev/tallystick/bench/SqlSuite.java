package dev.tallystick.bench;

import dev.tallystick.bench.Contender.Opener;
import dev.tallystick.bench.Contender.Round;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The group committer against one transaction a call, for the same two writes: a keyed insert, and a transition (a guarded
 * update of one row together with an insert). The plain side may choose its best number of connections.
 */
final class SqlSuite implements Suite {

    private static final int[] PLAIN_CONNECTIONS = {1, 8, 32, 64};
    private static final int CALLERS = 64;

    private static final List<String> SCHEMA = List.of(
            "create table sql_key (key bigint primary key, value text not null)",
            "create table sql_activity (id bigint primary key, ledger bigint not null)",
            "insert into sql_activity select i, 0 from generate_series(0, 99999) i",
            "create table sql_guid (guid bigint primary key, activity bigint not null)",
            "vacuum analyze sql_activity");

    private final AtomicLong keys = new AtomicLong();

    @Override
    public List<Contender> contenders(DataSource database) throws SQLException {
        Setup.run(database, SCHEMA);
        List<Contender> contenders = new ArrayList<>();
        for (Primitive<Long, Boolean> primitive : List.of(new KeyedInsert(), new Transition())) {
            String[] plain = new String[PLAIN_CONNECTIONS.length];
            for (int i = 0; i < plain.length; i++) {
                plain[i] = "plain.%s.c%d".formatted(primitive.name(), PLAIN_CONNECTIONS[i]);
                Opener opener = callers -> new OneByOne(database, primitive, callers);
                contenders.add(new Contender(plain[i], PLAIN_CONNECTIONS[i], opener));
            }
            String grouped = "group.%s.c%d".formatted(primitive.name(), CALLERS);
            contenders.add(new Contender(grouped, CALLERS, callers -> new Grouped(database, primitive)).against(plain));
        }
        return contenders;
    }

    private abstract static class Counted implements Round {

        private final DataSource database;
        private final long syncsBefore;

        Counted(DataSource database) throws SQLException {
            this.database = database;
            this.syncsBefore = WalSyncs.count(database);
        }

        @Override
        public Map<String, Double> extras(long items) throws SQLException {
            return Map.of("fsyncs_per_operation", (WalSyncs.count(database) - syncsBefore) / (double) items);
        }
    }

    private final class OneByOne extends Counted {

        private final Primitive<Long, Boolean> primitive;
        private final Database committing;
        private final Connections connections;

        OneByOne(DataSource database, Primitive<Long, Boolean> primitive, int callers) throws SQLException {
            super(database);
            this.primitive = primitive;
            this.committing = Database.on(database);
            this.connections = new Connections(database, callers);
        }

        @Override
        public int call(int caller) throws SQLException {
            Connection connection = connections.of(caller);
            primitive.apply(committing.join(connection), List.of(keys.incrementAndGet()));
            connection.commit();
            return 1;
        }

        @Override
        public void close() throws SQLException {
            connections.close();
        }
    }

    private final class Grouped extends Counted {

        private final Primitive<Long, Boolean> primitive;
        private final GroupCommitter committer;

        Grouped(DataSource database, Primitive<Long, Boolean> primitive) throws SQLException {
            super(database);
            this.primitive = primitive;
            this.committer = new GroupCommitter(Database.on(database), GroupCommitter.Limits.DEFAULT);
        }

        @Override
        public int call(int caller) {
            committer.submit(primitive, keys.incrementAndGet()).join();
            return 1;
        }

        @Override
        public void close() {
            committer.close();
        }
    }

    private record KeyedInsert() implements Primitive<Long, Boolean> {

        private static final String INSERT = """
                insert into sql_key (key, value)
                select key, 'accepted'
                from unnest(?) as key
                on conflict do nothing
                """;

        @Override
        public String name() {
            return "insert";
        }

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public Object orderKey(Long key) {
            return key;
        }

        @Override
        public List<@Nullable Boolean> apply(Tx tx, List<Long> items) throws SQLException {
            tx.update(INSERT, (Object) items.toArray(Long[]::new));
            return new ArrayList<>(Collections.nCopies(items.size(), true));
        }
    }

    private record Transition() implements Primitive<Long, Boolean> {

        private static final String TRANSITION = """
                with fresh as (
                    insert into sql_guid (guid, activity)
                    select guid, guid % 100000
                    from unnest(?) as guid
                    on conflict do nothing
                    returning activity
                )
                update sql_activity a
                set ledger = ledger + 1
                from fresh
                where a.id = fresh.activity
                """;

        @Override
        public String name() {
            return "transition";
        }

        @Override
        public int rank() {
            return 1;
        }

        @Override
        public Object orderKey(Long guid) {
            return guid % 100_000;
        }

        @Override
        public List<@Nullable Boolean> apply(Tx tx, List<Long> items) throws SQLException {
            tx.update(TRANSITION, (Object) items.toArray(Long[]::new));
            return new ArrayList<>(Collections.nCopies(items.size(), true));
        }
    }
}
