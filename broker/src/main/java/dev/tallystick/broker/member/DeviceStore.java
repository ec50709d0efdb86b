package dev.tallystick.broker.member;

import dev.tallystick.broker.model.Member;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The table of devices. One method is one statement; the caller owns the transaction. */
final class DeviceStore {

    private static final String INSERT = """
            insert into tally.device (mesh, member, name, public_key)
            values (?, ?, ?, ?)
            on conflict do nothing
            """;

    private static final String COLUMNS = """
            select member, name, public_key, registered_at, rotated_at, revoked_at
            from tally.device
            """;

    private static final String LOCK = COLUMNS + "where mesh = ? and member = ? and name = ? for update";

    private static final String LIST = COLUMNS + "where mesh = ? and member = ? order by name";

    private static final String IS_KNOWN = "select 1 from tally.device where mesh = ? and public_key = ?";

    private static final String ROTATE = """
            update tally.device
            set public_key = ?, rotated_at = now()
            where mesh = ? and member = ? and name = ?
            """;

    private static final String REVOKE = """
            update tally.device
            set revoked_at = coalesce(revoked_at, now())
            where mesh = ? and member = ? and name = ?
            """;

    /** Returns true if neither the name nor the key was known. */
    boolean insert(Tx tx, Member member, String name, DeviceKey key) throws SQLException {
        return tx.update(INSERT, member.mesh(), member.name(), name, key.bytes()) == 1;
    }

    Optional<Device> lock(Tx tx, Member member, String name) throws SQLException {
        return tx.first(LOCK, DeviceStore::device, member.mesh(), member.name(), name);
    }

    boolean isKnown(Tx tx, String mesh, DeviceKey key) throws SQLException {
        return tx.first(IS_KNOWN, row -> true, mesh, key.bytes()).isPresent();
    }

    void rotate(Tx tx, Member member, String name, DeviceKey key) throws SQLException {
        tx.update(ROTATE, key.bytes(), member.mesh(), member.name(), name);
    }

    boolean revoke(Tx tx, String mesh, String member, String name) throws SQLException {
        return tx.update(REVOKE, mesh, member, name) == 1;
    }

    List<Device> list(Tx tx, String mesh, String member) throws SQLException {
        return tx.query(LIST, DeviceStore::device, mesh, member);
    }

    private static Device device(ResultSet row) throws SQLException {
        return new Device(
                row.getString("member"),
                row.getString("name"),
                DeviceKey.of(row.getBytes("public_key")),
                Objects.requireNonNull(Tx.instant(row, "registered_at")),
                Tx.instant(row, "rotated_at"),
                Tx.instant(row, "revoked_at"));
    }
}
