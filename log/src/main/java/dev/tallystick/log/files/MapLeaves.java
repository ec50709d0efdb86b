package dev.tallystick.log.files;

import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.map.MapLeaf;
import java.util.Objects;
import java.util.Optional;

/** Which leaf an entry adds to the key map: an acceptance its tag, a member's secret its position. */
public final class MapLeaves {

    private MapLeaves() {}

    public static Optional<MapLeaf> of(LogEntry entry) {
        return switch (entry) {
            case LogEntry.Accepted accepted
            when accepted.tag() != null ->
                Optional.of(new MapLeaf(
                        accepted.tag(),
                        Objects.requireNonNull(accepted.commitments().get(LogEntry.JOB))));
            case LogEntry.SecretCommitted secret -> Optional.of(new MapLeaf(secret.position(), secret.commitment()));
            case LogEntry.Accepted keyless -> Optional.empty();
            case LogEntry.Closed closed -> Optional.empty();
            case LogEntry.Erased erased -> Optional.empty();
            case LogEntry.OperatorAction action -> Optional.empty();
            case LogEntry.ExchangeDocument document -> Optional.empty();
            case LogEntry.MapHead head -> Optional.empty();
            case LogEntry.KeyRotation rotation -> Optional.empty();
            case LogEntry.Succession succession -> Optional.empty();
        };
    }
}
