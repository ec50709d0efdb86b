package dev.tallystick.example.partner;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;

/** The supplier's own table. */
final class ShipmentStore {

    private static final String CREATE =
            "create table if not exists shipment (order_id text primary key, item text not null)";

    private static final String ADD = "insert into shipment (order_id, item) values (?, ?)";

    void create(Tx tx) throws SQLException {
        tx.update(CREATE);
    }

    void add(Tx tx, String order, String item) throws SQLException {
        tx.update(ADD, order, item);
    }
}
