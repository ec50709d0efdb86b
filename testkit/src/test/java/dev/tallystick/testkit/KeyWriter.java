package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The smallest possible store: writes keys, one transaction each. One of its modes is sound; the others are planted bugs. */
final class KeyWriter {

    enum Habit {
        ACKNOWLEDGES_AFTER_COMMIT,
        ACKNOWLEDGES_BEFORE_COMMIT,
        TAKES_A_LOST_REPLY_FOR_A_FAILURE,
        WRITES_AGAIN_AFTER_A_LOST_REPLY
    }

    enum Point implements CrashPoint {
        WRITTEN,
        COMMITTED
    }

    private final DataSource source;
    private final Habit habit;
    private final CrashPoints points;
    private final Consumer<String> told;

    /** @param told receives the caller's answers, in the format of {@link History#ofLines} */
    KeyWriter(DataSource source, Habit habit, CrashPoints points, Consumer<String> told) {
        this.source = source;
        this.habit = habit;
        this.points = points;
        this.told = told;
    }

    void write(String key) {
        told.accept("invoked " + key);
        String outcome = outcomeOf(key);
        if (habit != Habit.ACKNOWLEDGES_BEFORE_COMMIT) {
            told.accept(outcome + " " + key);
        }
    }

    private String outcomeOf(String key) {
        boolean committing = false;
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement("insert into written values (?)")) {
            connection.setAutoCommit(false);
            insert.setString(1, key);
            insert.executeUpdate();
            if (habit == Habit.ACKNOWLEDGES_BEFORE_COMMIT) {
                told.accept("acknowledged " + key);
            }
            points.reached(Point.WRITTEN);
            committing = true;
            connection.commit();
            points.reached(Point.COMMITTED);
            return "acknowledged";
        } catch (SQLException lost) {
            return committing ? outcomeOfALostReply(key) : "failed";
        }
    }

    private String outcomeOfALostReply(String key) {
        return switch (habit) {
            case ACKNOWLEDGES_AFTER_COMMIT, ACKNOWLEDGES_BEFORE_COMMIT -> "unknown";
            case TAKES_A_LOST_REPLY_FOR_A_FAILURE -> "failed";
            case WRITES_AGAIN_AFTER_A_LOST_REPLY -> outcomeOf(key);
        };
    }

    static void createTable(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table written (key text)");
        }
    }

    static List<String> present(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select key from written")) {
            List<String> keys = new ArrayList<>();
            while (rows.next()) {
                keys.add(rows.getString(1));
            }
            return keys;
        }
    }

    /** Writes keys until it is killed; for a child JVM. */
    static final class Endless {
        public static void main(String[] arguments) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(arguments[0]);
            KeyWriter writer =
                    new KeyWriter(source, Habit.valueOf(arguments[1]), HaltAt.configured(), System.out::println);
            for (int key = 1; true; key++) {
                writer.write("" + key);
            }
        }
    }
}
