package dev.tallystick.exchange;

import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;

/** The contract, on a table in the producer's database. */
class PostgresTransportTest extends TransportContract {

    @Override
    Transport open(String self) {
        return new PostgresTransport(Database.on(acmes.dataSource()), self);
    }

    @Override
    void wipe() {
        try (PostgresTransport transport = new PostgresTransport(Database.on(acmes.dataSource()), "wiper")) {
            transport.wipe();
        }
    }
}
