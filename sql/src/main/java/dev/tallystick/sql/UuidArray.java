package dev.tallystick.sql;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgArray;

/**
 * UUIDs in Postgres's binary format. The driver sends UUID arrays as text, which costs both sides more time than all other
 * parameters of a batch together.
 */
final class UuidArray {

    private static final int HEADER = 5 * Integer.BYTES;
    private static final int LENGTH = 2 * Long.BYTES;
    private static final int NULL = -1;

    static java.sql.Array of(@Nullable UUID[] values, Connection connection) throws SQLException {
        return new PgArray(connection.unwrap(BaseConnection.class), Oid.UUID_ARRAY, bytes(values));
    }

    /** The binary form of an array: dimensions, null flag, type; length and lower bound; then each element. */
    private static byte[] bytes(@Nullable UUID[] values) {
        boolean hasNulls = false;
        int size = values.length == 0 ? 3 * Integer.BYTES : HEADER;
        for (UUID value : values) {
            hasNulls |= value == null;
            size += Integer.BYTES + (value == null ? 0 : LENGTH);
        }
        ByteBuffer bytes = ByteBuffer.allocate(size);
        bytes.putInt(values.length == 0 ? 0 : 1).putInt(hasNulls ? 1 : 0).putInt(Oid.UUID);
        if (values.length > 0) {
            bytes.putInt(values.length).putInt(1);
        }
        for (UUID value : values) {
            if (value == null) {
                bytes.putInt(NULL);
            } else {
                bytes.putInt(LENGTH).putLong(value.getMostSignificantBits()).putLong(value.getLeastSignificantBits());
            }
        }
        return bytes.array();
    }

    private UuidArray() {}
}
