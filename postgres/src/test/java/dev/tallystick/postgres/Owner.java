package dev.tallystick.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The main class of child JVMs in these tests: it owns a server, reports line by line, and dies when it is killed or asked to.
 */
final class Owner {

    private Owner() {}

    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[1]);
        switch (arguments[0]) {
            case "write" -> write(path);
            case "hold" -> hold(EmbeddedPostgres.at(path));
            case "hold-temporary" -> hold(EmbeddedPostgres.temporary().temporaryParent(path));
            case "exit" -> exit(EmbeddedPostgres.at(path));
            case "exit-temporary" -> exit(EmbeddedPostgres.temporary().temporaryParent(path));
            case "halt" -> haltAt(StartPoint.valueOf(arguments[2]), path);
            case "unpack" -> say(Binaries.unpackedIn(path).home().toString());
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Prints a number once it is committed, and never before. */
    private static void write(Path directory) throws SQLException {
        EmbeddedPostgres postgres = EmbeddedPostgres.at(directory).start();
        try (Connection connection = postgres.dataSource().getConnection();
                Statement create = connection.createStatement()) {
            create.execute("create table acknowledged (id int primary key)");
            try (PreparedStatement insert = connection.prepareStatement("insert into acknowledged values (?)")) {
                for (int id = 1; ; id++) {
                    insert.setInt(1, id);
                    insert.executeUpdate();
                    say(Integer.toString(id));
                }
            }
        }
    }

    private static void hold(EmbeddedPostgresBuilder builder) throws IOException {
        try (EmbeddedPostgres postgres = builder.start()) {
            say(postgres.directory().toString());
            System.in.read();
        }
    }

    /** Exits without closing: the shutdown hook has to stop the server. */
    private static void exit(EmbeddedPostgresBuilder builder) {
        EmbeddedPostgres postgres = builder.start();
        say(postgres.directory().toString());
        System.exit(0);
    }

    private static void haltAt(StartPoint deadly, Path directory) {
        EmbeddedPostgres.at(directory)
                .crashPoints(point -> {
                    if (point.equals(deadly)) {
                        Runtime.getRuntime().halt(99);
                    }
                })
                .start();
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
