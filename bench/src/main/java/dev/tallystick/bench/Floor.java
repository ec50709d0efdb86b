package dev.tallystick.bench;

import dev.tallystick.bench.Contender.Round;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/**
 * What plain JDBC reaches on this machine at this moment: a prepared transaction of an update by key, a select and an insert,
 * one connection a caller. The Java twin of {@code pgbench -N}.
 */
final class Floor implements Suite {

    private static final int ACCOUNTS = 100_000;

    private static final List<String> SCHEMA = List.of(
            "create table floor_account (id int primary key, balance int not null, filler text not null)",
            "insert into floor_account select i, 0, repeat('x', 80) from generate_series(1, " + ACCOUNTS + ") i",
            "create table floor_history (account int not null, delta int not null, at timestamptz not null, filler text)",
            "vacuum analyze floor_account");

    private static final String UPDATE = "update floor_account set balance = balance + ? where id = ?";
    private static final String SELECT = "select balance from floor_account where id = ?";
    private static final String INSERT = "insert into floor_history (account, delta, at) values (?, ?, now())";

    @Override
    public List<Contender> contenders(DataSource database) throws SQLException {
        Setup.run(database, SCHEMA);
        List<Contender> contenders = new ArrayList<>();
        for (int callers : new int[] {1, 8, 32}) {
            contenders.add(new Contender("floor.c" + callers, callers, number -> new Clients(database, number)));
        }
        return contenders;
    }

    private static final class Clients implements Round {

        private final Connections connections;

        Clients(DataSource database, int number) throws SQLException {
            connections = new Connections(database, number);
        }

        @Override
        public int call(int caller) throws SQLException {
            Connection connection = connections.of(caller);
            int account = ThreadLocalRandom.current().nextInt(ACCOUNTS) + 1;
            try (PreparedStatement update = connection.prepareStatement(UPDATE);
                    PreparedStatement select = connection.prepareStatement(SELECT);
                    PreparedStatement insert = connection.prepareStatement(INSERT)) {
                update.setInt(1, 1);
                update.setInt(2, account);
                update.executeUpdate();
                select.setInt(1, account);
                try (ResultSet balance = select.executeQuery()) {
                    balance.next();
                }
                insert.setInt(1, account);
                insert.setInt(2, 1);
                insert.executeUpdate();
            }
            connection.commit();
            return 1;
        }

        @Override
        public void close() throws SQLException {
            connections.close();
        }
    }
}
