package dev.tallystick.broker;

import dev.tallystick.broker.webhook.AddressPolicy;
import dev.tallystick.keys.GateSettings;
import dev.tallystick.keys.KeyRetention;
import java.time.Duration;

/**
 * A broker's settings.
 *
 * @param maxPayload of a message's body and meta data together, in bytes
 * @param maxMentions in one message
 * @param historyKept how long messages can be read after they were accepted; their keys are remembered longer
 * @param poll how often a broker checks for work that others may have left
 * @param callable the addresses that webhooks may call
 */
public record BrokerSettings(
        KeyRetention keyRetention,
        GateSettings gate,
        int maxPayload,
        int maxMentions,
        Duration historyKept,
        Duration poll,
        AddressPolicy callable) {

    public static final BrokerSettings DEFAULT = new BrokerSettings(
            KeyRetention.DEFAULT,
            GateSettings.DEFAULT,
            1024 * 1024,
            100,
            Duration.ofDays(30),
            Duration.ofSeconds(1),
            AddressPolicy.PUBLIC);

    public BrokerSettings {
        if (maxPayload < 1 || maxMentions < 0) {
            throw new IllegalArgumentException("maxPayload must be at least 1");
        }
        if (historyKept.compareTo(keyRetention.duration()) > 0) {
            throw new IllegalArgumentException("history cannot be kept longer than keys are remembered, which is "
                    + keyRetention.days() + " days");
        }
    }

    /** Limits the retention of history to that of the keys. */
    public BrokerSettings withKeyRetention(KeyRetention other) {
        Duration kept = historyKept.compareTo(other.duration()) > 0 ? other.duration() : historyKept;
        return new BrokerSettings(other, gate, maxPayload, maxMentions, kept, poll, callable);
    }

    public BrokerSettings withGate(GateSettings other) {
        return new BrokerSettings(keyRetention, other, maxPayload, maxMentions, historyKept, poll, callable);
    }

    public BrokerSettings withMaxPayload(int bytes) {
        return new BrokerSettings(keyRetention, gate, bytes, maxMentions, historyKept, poll, callable);
    }

    public BrokerSettings withPoll(Duration other) {
        return new BrokerSettings(keyRetention, gate, maxPayload, maxMentions, historyKept, other, callable);
    }

    public BrokerSettings withCallable(AddressPolicy other) {
        return new BrokerSettings(keyRetention, gate, maxPayload, maxMentions, historyKept, poll, other);
    }
}
