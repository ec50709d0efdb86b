package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static dev.tallystick.daemon.DaemonUnderTest.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.daemon.inbox.Inbox;
import dev.tallystick.daemon.inbox.InboxEvent;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.OutboxSettings;
import dev.tallystick.daemon.outbox.OutboxState;
import dev.tallystick.daemon.outbox.Salvage;
import dev.tallystick.daemon.outbox.Settlement;
import dev.tallystick.daemon.storage.StorageException;
import dev.tallystick.testkit.Eventually;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the daemon does when its disk is full, its files are damaged, or cannot be written. */
class StorageFailureTest {

    private static final int ROWS = 300;
    private static final int ROWS_A_PAGE = 4096 / 128;

    @TempDir
    Path folder;

    private Path directory() {
        return folder.resolve("d");
    }

    private void fill(int rows) {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            for (int i = 0; i < rows; i++) {
                assertThat(accept("k" + i, "message number " + i)).isEqualTo(202);
            }
        }
    }

    private int accept(String key, String body) {
        return DaemonUnderTest.send(directory(), key, message("topic:a", body)).status();
    }

    @Test
    void an_outbox_of_a_newer_version_is_left_alone() throws SQLException {
        fill(1);
        sql("pragma user_version = 99");

        assertThatThrownBy(() -> DaemonUnderTest.offline(directory()))
                .isInstanceOf(DaemonStartException.class)
                .hasMessageContaining("version 99");
    }

    @Test
    void a_damaged_outbox_refuses_to_start_and_salvage_exports_every_readable_row() throws IOException {
        fill(ROWS);
        Path file = directory().resolve(Outbox.FILE);
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(bytes.length() / 2 / 4096 * 4096);
            bytes.write(new byte[4096]);
        }
        byte[] before = Files.readAllBytes(file);

        assertThatThrownBy(() -> DaemonUnderTest.offline(directory()))
                .isInstanceOfSatisfying(
                        DaemonStartException.class,
                        e -> assertThat(e.kind()).isEqualTo(DaemonStartException.Kind.OUTBOX))
                .hasMessageContaining("tally outbox salvage");
        Set<String> keys = new TreeSet<>();
        Salvage found = Salvage.of(directory(), row -> keys.add(row.key().value()));

        assertThat(found.isWhole()).isFalse();
        assertThat(keys).as("all but those of the damaged page").hasSizeBetween(ROWS - ROWS_A_PAGE, ROWS);
        assertThat(keys).contains("k0", "k" + (ROWS - 1));
        assertThat(Files.readAllBytes(file)).as("the file stays as it is").isEqualTo(before);
    }

    @Test
    void a_lost_outbox_is_not_replaced_by_an_empty_one() throws IOException {
        fill(1);
        Files.delete(directory().resolve(Outbox.FILE));

        assertThatThrownBy(() -> DaemonUnderTest.offline(directory()))
                .isInstanceOfSatisfying(
                        DaemonStartException.class,
                        e -> assertThat(e.kind()).isEqualTo(DaemonStartException.Kind.OUTBOX))
                .hasMessageContaining("is missing");
        assertThat(directory().resolve(Outbox.FILE)).doesNotExist();
    }

    @Test
    void an_outbox_that_does_not_know_its_server_any_more_refuses_to_start() throws SQLException {
        fill(1);
        sql("insert into setting (name, value) values ('server', '{\"installation_id\":\"x')");

        assertThatThrownBy(() -> DaemonUnderTest.offline(directory()))
                .isInstanceOfSatisfying(
                        DaemonStartException.class,
                        e -> assertThat(e.kind()).isEqualTo(DaemonStartException.Kind.OUTBOX))
                .hasMessageContaining("remembers of its server");
    }

    @Test
    void flipped_bits_and_lost_ends_are_noticed_or_harmless() throws IOException {
        fill(40);
        byte[] good = Files.readAllBytes(directory().resolve(Outbox.FILE));
        byte[] mark = Files.readAllBytes(directory().resolve(Outbox.MARK));
        Set<String> expected = new TreeSet<>();
        for (int i = 0; i < 40; i++) {
            expected.add(
                    "k" + i + ": " + message("topic:a", "message number " + i).canonical());
        }
        for (int step = 0; step < 40; step++) {
            byte[] bad = good.clone();
            if (step % 4 == 3) {
                bad = Arrays.copyOf(good, good.length * step / 40);
            } else {
                bad[good.length / 40 * step + step * 37 % 97] ^= (byte) (1 << step % 8);
            }
            Files.write(directory().resolve(Outbox.FILE), bad);
            Files.write(directory().resolve(Outbox.MARK), mark);
            Files.deleteIfExists(directory().resolve(Outbox.FILE + "-wal"));
            Files.deleteIfExists(directory().resolve(Outbox.FILE + "-shm"));
            Set<String> whole = new TreeSet<>();
            boolean isDamageSeen = false;
            try (Daemon daemon = DaemonUnderTest.offline(directory())) {
                for (OutboxRow row : daemon.outbox().list(null, 0, 1_000)) {
                    isDamageSeen |= row.isDamaged();
                    if (!row.isDamaged() && row.content() != null) {
                        whole.add(row.key().value() + ": " + row.content().payload());
                    }
                }
            } catch (DaemonStartException | StorageException refused) {
                isDamageSeen = true;
            }
            assertThat(isDamageSeen || whole.equals(expected))
                    .as("damage at step %d is seen, or nothing is lost", step)
                    .isTrue();
        }
    }

    @Test
    void a_damaged_inbox_is_set_aside() throws IOException {
        fill(1);
        Files.writeString(directory().resolve("inbox.db"), "this is not a database at all, is it?".repeat(200));

        for (int start = 0; start < 2; start++) {
            try (Daemon daemon = DaemonUnderTest.offline(directory());
                    var files = Files.list(directory())) {
                daemon.inbox().add(List.of(new Inbox.NewEvent(InboxEvent.Kind.DEAD, "row-" + start, "{}")));
                assertThat(daemon.inbox().after(1_000_000, InboxEvent.Kind.DEAD, 10))
                        .as("readers who have come far do not miss what is new")
                        .hasSize(start + 1);
                assertThat(files.map(file -> file.getFileName().toString()))
                        .filteredOn(name -> name.startsWith("inbox.db.damaged-"))
                        .hasSize(1);
            }
        }
    }

    @Test
    void a_full_outbox_refuses_new_sends_and_still_answers_repeats() {
        DaemonSettings small = DaemonUnderTest.settings(directory(), DaemonUnderTest.NOWHERE, "none")
                .withOutbox(OutboxSettings.DEFAULT.withMaxBytes(400_000));
        try (Daemon daemon = Daemon.start(small)) {
            int accepted = 0;
            while (accept("k" + accepted, "x".repeat(2_000)) == 202) {
                accepted++;
                assertThat(accepted).isLessThan(400);
            }
            LocalClient.Reply refused =
                    DaemonUnderTest.send(directory(), "k" + accepted, message("topic:a", "x".repeat(2_000)));
            assertThat(refused.status()).isEqualTo(507);
            assertThat(text(refused, "code")).isEqualTo("outbox_full");
            assertThat(daemon.outbox().usedBytes()).isGreaterThan(380_000);
            assertThat(accept("k0", "x".repeat(2_000))).as("a repeat").isEqualTo(202);
            assertThat(daemon.status().health().isHealthy()).isFalse();

            // Delivered payloads make room, dead ones stay.
            List<OutboxRow> rows = daemon.outbox().take("topic:a", false, 500, 10_000_000);
            List<Settlement> settled = new ArrayList<>();
            rows.forEach(row -> settled.add(
                    row.position() == 1
                            ? new Settlement.Dead(row, 1, "unknown_topic: gone")
                            : new Settlement.Delivered(row, 1, "m", "h")));
            daemon.outbox().settle(settled);
            assertThat(daemon.outbox().dropPayloads(busy -> true)).isEqualTo(rows.size() - 1);
            assertThat(accept("k" + accepted, "x".repeat(2_000))).isEqualTo(202);
            assertThat(content(daemon, "k0")).isNotNull();
            assertThat(content(daemon, "k1")).isNull();
            assertThat(accept("k1", "x".repeat(2_000)))
                    .as("its fingerprint is kept")
                    .isEqualTo(200);
        }
    }

    @Test
    void a_full_disk_refuses_cleanly_and_recovers_without_help() throws Exception {
        Path disk = folder.resolve("disk");
        Files.createDirectory(disk);
        assumeThat(run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.toString()))
                .isZero();
        try {
            Path small = disk.resolve("d");
            int accepted = 0;
            try (Daemon daemon = DaemonUnderTest.offline(small)) {
                LocalClient.Reply reply = send(small, accepted);
                while (reply.status() == 202) {
                    accepted++;
                    assertThat(accepted).isLessThan(400);
                    reply = send(small, accepted);
                }
                assertThat(reply.status()).isEqualTo(507);
                assertThat(text(reply, "code")).isEqualTo("outbox_full");
                assertThat(daemon.outbox().list(null, 0, 1_000)).hasSize(accepted);

                assertThat(run("mount", "-o", "remount,size=16m", disk.toString()))
                        .isZero();
                assertThat(send(small, accepted).status()).isEqualTo(202);
            }
            try (Daemon daemon = DaemonUnderTest.offline(small)) {
                assertThat(daemon.outbox().counts().get(OutboxState.PENDING)).isEqualTo(accepted + 1L);
            }
        } finally {
            run("umount", disk.toString());
        }
    }

    @Test
    void a_directory_that_cannot_be_written_refuses_to_start() throws Exception {
        fill(1);
        Path copy = folder.resolve("ro");
        Files.createDirectory(copy);
        assumeThat(run("mount", "--bind", directory().toString(), copy.toString()))
                .isZero();
        try {
            assumeThat(run("mount", "-o", "remount,ro,bind", copy.toString())).isZero();
            assertThatThrownBy(() -> DaemonUnderTest.offline(copy))
                    .isInstanceOfSatisfying(
                            DaemonStartException.class,
                            e -> assertThat(e.kind()).isEqualTo(DaemonStartException.Kind.UNUSABLE))
                    .hasMessageContaining("Read-only file system");
            assertThat(run("mount", "-o", "remount,rw,bind", copy.toString())).isZero();
            try (Daemon daemon = DaemonUnderTest.offline(copy)) {
                assertThat(daemon.outbox().counts().get(OutboxState.PENDING)).isOne();
            }
        } finally {
            run("umount", copy.toString());
        }
    }

    @Test
    void old_payloads_are_dropped_in_pieces_with_rests_between_them() {
        int rows = 1_200;
        fill(rows);
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            List<Settlement> settled = new ArrayList<>();
            daemon.outbox()
                    .take("topic:a", false, rows, 10_000_000)
                    .forEach(row -> settled.add(new Settlement.Delivered(row, 1, "m", "h")));
            daemon.outbox().settle(settled);
        }
        Clock clock = Clock.systemUTC();
        OutboxSettings keepsNothing = OutboxSettings.DEFAULT.withPayloadKept(Duration.ZERO);
        try (Outbox outbox =
                Outbox.open(directory(), keepsNothing, clock, new Ids(clock, new Random(1)), CrashPoints.NONE)) {
            AtomicInteger rests = new AtomicInteger();
            assertThat(outbox.dropPayloads(busy -> rests.incrementAndGet() < 2))
                    .as("ended at the second rest")
                    .isEqualTo(1_000);
            assertThat(outbox.dropPayloads(busy -> rests.incrementAndGet() > 0)).isEqualTo(200);
            assertThat(rests).hasValue(5);
        }
    }

    @Test
    void payloads_of_delivered_rows_are_kept_for_a_time() {
        fill(1);
        DaemonSettings settings = DaemonUnderTest.settings(directory(), DaemonUnderTest.NOWHERE, "none")
                .withOutbox(OutboxSettings.DEFAULT.withPayloadKept(Duration.ofDays(1)));
        try (Daemon daemon = Daemon.start(settings)) {
            OutboxRow row = daemon.outbox().take("topic:a", false, 1, 1_000).getFirst();
            daemon.outbox().settle(List.of(new Settlement.Delivered(row, 1, "m", "h")));
            assertThat(daemon.outbox().dropPayloads(busy -> true)).isZero();
            assertThat(DaemonUnderTest.get(directory(), "/v1/outbox/" + row.id())
                            .json()
                            .members()
                            .get("payload"))
                    .isEqualTo(message("topic:a", "message number 0"));
        }
    }

    @Test
    void what_is_kept_for_a_time_only_is_dropped_when_the_time_is_over() {
        fill(2);
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            OutboxRow row = daemon.outbox().take("topic:a", false, 1, 1_000).getFirst();
            daemon.outbox().settle(List.of(new Settlement.Delivered(row, 1, "m", "h")));
            daemon.inbox().add(List.of(new Inbox.NewEvent(InboxEvent.Kind.DEAD, "row", "{}")));
        }
        DaemonSettings settings = DaemonUnderTest.settings(directory(), DaemonUnderTest.NOWHERE, "none");
        try (Daemon daemon = Daemon.start(settings.withClock(in(Duration.ofDays(29))))) {
            Eventually.holds("the payload is dropped", () -> content(daemon, "k0") == null);
            assertThat(content(daemon, "k1")).as("of a pending row").isNotNull();
            assertThat(daemon.inbox().after(0, InboxEvent.Kind.DEAD, 10)).hasSize(1);
        }
        try (Daemon daemon = Daemon.start(settings.withClock(in(Duration.ofDays(31))))) {
            Eventually.holds(
                    "the event is forgotten",
                    () -> daemon.inbox().after(0, InboxEvent.Kind.DEAD, 10).isEmpty());
        }
    }

    private static Clock in(Duration time) {
        return Clock.offset(Clock.systemUTC(), time);
    }

    private static OutboxRow.@Nullable Content content(Daemon daemon, String key) {
        return daemon.outbox().findByKey(new IdempotencyKey(key)).orElseThrow().content();
    }

    private static LocalClient.Reply send(Path directory, int number) {
        return DaemonUnderTest.send(directory, "k" + number, message("topic:a", "x".repeat(5_000)));
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection("jdbc:sqlite:" + directory().resolve(Outbox.FILE));
                Statement run = connection.createStatement()) {
            run.execute(statement);
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }
}
