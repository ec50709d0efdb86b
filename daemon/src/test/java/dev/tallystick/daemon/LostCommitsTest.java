package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.Salvage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SQLite takes a journal that was cut short for one that ends there. The daemon notices which commits are missing. */
class LostCommitsTest {

    private static final String JOURNAL = Outbox.FILE + "-wal";
    private static final int ROWS = 6;
    private static final int HEADER = 32;
    private static final int FRAME = 24 + 4096;

    @TempDir
    Path folder;

    private Path killed;

    /** What a daemon leaves that is killed: the commits are in the journal. */
    @BeforeEach
    void fill() throws IOException {
        Path directory = folder.resolve("d");
        killed = folder.resolve("killed");
        Files.createDirectory(
                killed, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            for (int i = 0; i < ROWS; i++) {
                assertThat(DaemonUnderTest.send(directory, "k" + i, message("topic:a", "x"))
                                .status())
                        .isEqualTo(202);
            }
            assertThat(daemon.outbox().list(null, 0, 100)).hasSize(ROWS);
            for (String name : List.of(Outbox.FILE, JOURNAL, Outbox.MARK)) {
                Files.copy(directory.resolve(name), killed.resolve(name));
            }
        }
    }

    @Test
    void a_whole_journal_has_every_commit() {
        assertThat(keysAfterStart()).containsExactly("k0", "k1", "k2", "k3", "k4", "k5");
    }

    @Test
    void a_journal_that_was_cut_anywhere_is_refused_and_left_alone() throws IOException {
        byte[] whole = Files.readAllBytes(killed.resolve(JOURNAL));
        int frames = (whole.length - HEADER) / FRAME;
        assertThat(frames).isGreaterThan(ROWS);
        for (int cut = 0; cut < frames; cut++) {
            byte[] journal = Arrays.copyOf(whole, HEADER + cut * FRAME + cut % 2 * 1_000);
            Files.write(killed.resolve(JOURNAL), journal);

            assertRefused("missing");
            assertThat(Files.readAllBytes(killed.resolve(JOURNAL)))
                    .as("the journal stays as it is")
                    .isEqualTo(journal);
        }
    }

    @Test
    void a_changed_bit_in_the_journal_is_noticed() throws IOException {
        byte[] journal = Files.readAllBytes(killed.resolve(JOURNAL));
        journal[HEADER + (journal.length - HEADER) / FRAME / 2 * FRAME + 100] ^= 1;
        Files.write(killed.resolve(JOURNAL), journal);

        assertRefused("missing");
        Salvage found = Salvage.of(killed, row -> {});
        assertThat(found.isWhole()).isFalse();
        assertThat(found.problems()).anyMatch(problem -> problem.contains("missing"));
        assertThat(found.rows()).isBetween(1L, ROWS - 1L);
    }

    @Test
    void a_journal_that_was_removed_is_noticed() throws IOException {
        Files.delete(killed.resolve(JOURNAL));

        assertRefused("missing");
    }

    @Test
    void an_older_copy_of_the_outbox_is_noticed() throws IOException {
        try (Daemon daemon = DaemonUnderTest.offline(folder.resolve("d"))) {
            assertThat(daemon.outbox().list(null, 0, 100)).hasSize(ROWS);
            assertThat(DaemonUnderTest.send(folder.resolve("d"), "later", message("topic:a", "x"))
                            .status())
                    .isEqualTo(202);
        }
        Files.copy(
                folder.resolve("d").resolve(Outbox.MARK),
                killed.resolve(Outbox.MARK),
                StandardCopyOption.REPLACE_EXISTING);

        assertRefused("1 of " + (ROWS + 1));
    }

    @Test
    void without_the_mark_the_daemon_continues_with_what_is_left() throws IOException {
        byte[] journal = Files.readAllBytes(killed.resolve(JOURNAL));
        Files.write(killed.resolve(JOURNAL), Arrays.copyOf(journal, journal.length - FRAME));
        Files.delete(killed.resolve(Outbox.MARK));

        assertThat(keysAfterStart()).hasSize(ROWS - 1);
    }

    @Test
    void a_damaged_mark_is_refused() throws IOException {
        byte[] mark = Files.readAllBytes(killed.resolve(Outbox.MARK));
        mark[3] ^= 1;
        Files.write(killed.resolve(Outbox.MARK), mark);

        assertRefused(Outbox.MARK + " is damaged");
    }

    @Test
    void an_outbox_from_before_commits_were_counted_is_migrated() throws IOException, SQLException {
        Files.delete(killed.resolve(Outbox.MARK));
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + killed.resolve(Outbox.FILE));
                Statement statement = connection.createStatement()) {
            statement.execute("drop table commits");
            statement.execute("pragma user_version = 1");
        }

        assertThat(keysAfterStart()).hasSize(ROWS);
        try (Daemon daemon = DaemonUnderTest.offline(killed)) {
            assertThat(DaemonUnderTest.send(killed, "k0", message("topic:a", "other"))
                            .status())
                    .as("its keys stay used")
                    .isEqualTo(409);
            assertThat(DaemonUnderTest.send(killed, "new", message("topic:a", "x"))
                            .status())
                    .isEqualTo(202);
            assertThat(daemon.outbox().list(null, 0, 100))
                    .extracting(OutboxRow::position)
                    .isSorted();
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + killed.resolve(Outbox.FILE));
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeQuery("select number from commits").getLong(1))
                    .isPositive();
            assertThat(statement.executeQuery("pragma user_version").getInt(1)).isEqualTo(2);
        }
    }

    private List<String> keysAfterStart() {
        try (Daemon daemon = DaemonUnderTest.offline(killed)) {
            return daemon.outbox().list(null, 0, 100).stream()
                    .map(row -> row.key().value())
                    .toList();
        }
    }

    private void assertRefused(String why) {
        assertThatThrownBy(() -> DaemonUnderTest.offline(killed).close())
                .isInstanceOfSatisfying(
                        DaemonStartException.class,
                        e -> assertThat(e.kind()).isEqualTo(DaemonStartException.Kind.OUTBOX))
                .hasMessageContaining(why);
    }
}
