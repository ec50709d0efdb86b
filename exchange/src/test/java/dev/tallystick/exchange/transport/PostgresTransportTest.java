package dev.tallystick.exchange.transport;

import dev.tallystick.exchange.TransportContract;
import dev.tallystick.sql.Database;

/** The contract, on a table in the producer's database. */
class PostgresTransportTest extends TransportContract {

    @Override
    public Transport open(String self) {
        return new PostgresTransport(Database.on(acmes.dataSource()), self);
    }

    @Override
    public void wipe() {
        try (PostgresTransport transport = new PostgresTransport(Database.on(acmes.dataSource()), "wiper")) {
            transport.wipe();
        }
    }
}
