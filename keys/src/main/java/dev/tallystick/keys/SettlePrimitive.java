package dev.tallystick.keys;

import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Verdicts that share a commit. Ordered by key like reservations, so that items for the same key keep their order. */
record SettlePrimitive(ReserveKeys door) implements Primitive<Settlement, Settle> {

    @Override
    public String name() {
        return "settle keys";
    }

    @Override
    public int rank() {
        return ReservePrimitive.RANK;
    }

    @Override
    public Object orderKey(Settlement settlement) {
        return settlement.key();
    }

    @Override
    public long bytes(Settlement settlement) {
        return settlement.verdict() instanceof Verdict.Answer answer
                ? answer.response().size()
                : 0;
    }

    @Override
    public List<@Nullable Settle> apply(Tx tx, List<Settlement> settlements) throws SQLException {
        if (settlements.size() > 1) {
            return door.settleUnlessBlocked(tx, settlements);
        }
        List<@Nullable Settle> outcomes = new ArrayList<>(1);
        outcomes.addAll(door.settle(tx, settlements));
        return outcomes;
    }
}
