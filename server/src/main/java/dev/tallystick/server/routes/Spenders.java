package dev.tallystick.server.routes;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.engine.schedule.Submitters;
import dev.tallystick.engine.seal.LostKeys;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** The broker's members, in whose names schedules start jobs: charged to the budget of their submissions. */
public record Spenders(Broker broker, LostKeys lostKeys) implements Submitters {

    @Override
    public boolean isLost(ScopedKey key) {
        return lostKeys.isLost(key);
    }

    @Override
    public boolean include(Tx tx, Scope scope) throws SQLException {
        return broker.members().maySubmit(tx, scope);
    }

    @Override
    public Optional<Duration> spend(ScopedKey key, Fingerprint request, int bytes) {
        return switch (broker.spend(key, request, bytes)) {
            case Limiter.Decision.Within within -> Optional.empty();
            case Limiter.Decision.Over over -> Optional.of(over.retryAfter());
        };
    }
}
