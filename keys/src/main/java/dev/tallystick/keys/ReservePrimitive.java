package dev.tallystick.keys;

import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reservations that share a commit. */
record ReservePrimitive(ReserveKeys door) implements Primitive<ReserveClaim, Reserve> {

    /** Keys are locked before anything else. */
    static final int RANK = 0;

    @Override
    public String name() {
        return "reserve keys";
    }

    @Override
    public int rank() {
        return RANK;
    }

    @Override
    public Object orderKey(ReserveClaim claim) {
        return claim.key();
    }

    @Override
    public List<@Nullable Reserve> apply(Tx tx, List<ReserveClaim> claims) throws SQLException {
        List<@Nullable Reserve> outcomes = new ArrayList<>(claims.size());
        outcomes.addAll(door.reserve(tx, claims));
        return outcomes;
    }
}
