package dev.tallystick.broker.member;

import dev.tallystick.broker.model.Member;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table of devices. One method is one statement; the caller owns the transaction. */
final class DeviceStore {

    private static final String INSERT = """
            insert into tally.device (mesh, member, name, public_key, host_fingerprint)
            values (?, ?, ?, ?, ?)
            on conflict do nothing
            """;

    private static final String UNDO_INSERT = """
            delete from tally.device
            where mesh = ? and member = ? and name = ?
            """;

    private static final String COLUMNS = """
            select member, name, public_key, host_fingerprint, registered_at, rotated_at, revoked_at,
                case when previous_until > now() then previous_key end as previous_key, previous_until
            from tally.device
            """;

    private static final String LOCK = COLUMNS + "where mesh = ? and member = ? and name = ? for update";

    private static final String LIST = COLUMNS + "where mesh = ? and member = ? order by name";

    private static final String IS_CURRENT = "select 1 from tally.device where mesh = ? and public_key = ?";

    private static final String IS_PREVIOUS =
            "select 1 from tally.device where mesh = ? and previous_key = ? and previous_until > now()";

    private static final String ROTATE = """
            update tally.device
            set previous_key = public_key, previous_until = now() + ? * interval '1 millisecond', public_key = ?, rotated_at = now()
            where mesh = ? and member = ? and name = ?
            """;

    private static final String SET_HOST = """
            update tally.device
            set host_fingerprint = ?
            where mesh = ? and member = ? and name = ?
            """;

    private static final String REVOKE = """
            update tally.device
            set revoked_at = coalesce(revoked_at, now())
            where mesh = ? and member = ? and name = ?
            """;

    /** Returns true if neither the name nor the key was known. */
    boolean insert(Tx tx, Member member, String name, DeviceKey key, @Nullable HostFingerprint host)
            throws SQLException {
        String hex = host == null ? null : host.hex();
        return tx.update(INSERT, member.mesh(), member.name(), name, key.bytes(), hex) == 1;
    }

    void undoInsert(Tx tx, Member member, String name) throws SQLException {
        tx.update(UNDO_INSERT, member.mesh(), member.name(), name);
    }

    Optional<Device> lock(Tx tx, Member member, String name) throws SQLException {
        return tx.first(LOCK, DeviceStore::device, member.mesh(), member.name(), name);
    }

    boolean isCurrent(Tx tx, String mesh, DeviceKey key) throws SQLException {
        return tx.first(IS_CURRENT, row -> true, mesh, key.bytes()).isPresent();
    }

    /** Whether a device had this key before, and may still use it. */
    boolean isPrevious(Tx tx, String mesh, DeviceKey key) throws SQLException {
        return tx.first(IS_PREVIOUS, row -> true, mesh, key.bytes()).isPresent();
    }

    void rotate(Tx tx, Member member, String name, DeviceKey key, Duration grace) throws SQLException {
        tx.update(ROTATE, grace.toMillis(), key.bytes(), member.mesh(), member.name(), name);
    }

    void setHost(Tx tx, Member member, String name, HostFingerprint host) throws SQLException {
        tx.update(SET_HOST, host.hex(), member.mesh(), member.name(), name);
    }

    boolean revoke(Tx tx, String mesh, String member, String name) throws SQLException {
        return tx.update(REVOKE, mesh, member, name) == 1;
    }

    List<Device> list(Tx tx, String mesh, String member) throws SQLException {
        return tx.query(LIST, DeviceStore::device, mesh, member);
    }

    private static Device.@Nullable PreviousKey previous(ResultSet row) throws SQLException {
        byte[] key = row.getBytes("previous_key");
        return key == null
                ? null
                : new Device.PreviousKey(DeviceKey.of(key), Objects.requireNonNull(Tx.instant(row, "previous_until")));
    }

    private static @Nullable HostFingerprint host(ResultSet row) throws SQLException {
        String hex = row.getString("host_fingerprint");
        return hex == null ? null : new HostFingerprint(hex);
    }

    private static Device device(ResultSet row) throws SQLException {
        return new Device(
                row.getString("member"),
                row.getString("name"),
                DeviceKey.of(row.getBytes("public_key")),
                previous(row),
                host(row),
                Objects.requireNonNull(Tx.instant(row, "registered_at")),
                Tx.instant(row, "rotated_at"),
                Tx.instant(row, "revoked_at"));
    }
}
