package dev.tallystick.exchange.message;

import static dev.tallystick.exchange.message.AckStatus.ACKED_POSTING;
import static dev.tallystick.exchange.message.AckStatus.ACKED_RESULT;
import static dev.tallystick.exchange.message.AckStatus.NACKED_POSTING;
import static dev.tallystick.exchange.message.AckStatus.NACKED_RESULT;
import static dev.tallystick.exchange.message.ProcessingStatus.OK;
import static dev.tallystick.exchange.message.ProcessingStatus.PENDING;
import static dev.tallystick.exchange.message.ProcessingStatus.REJECTED;

import java.util.List;
import java.util.Locale;

/**
 * Every change of status that there is. Statuses only move forward: a result may overtake the receipt, and a late receipt then
 * changes nothing. The guards of the SQL statements and the diagram in the docs come from this table.
 */
public final class StatusTable {

    /** Whose record changes. */
    public enum Side {
        PRODUCER,
        CONSUMER
    }

    /** Why a record changes. */
    public enum Event {
        RECEIPT_ARRIVES,
        RESULT_ARRIVES,
        HANDLER_DECIDES,
        ACKNOWLEDGEMENT_ARRIVES
    }

    /** One change. */
    public record Change(Side side, Event event, Status from, Status to) {}

    private static final Status RECORDED = new Status(NACKED_POSTING, PENDING);
    private static final Status RECEIVED = new Status(ACKED_POSTING, PENDING);

    private static final List<Change> CHANGES = List.of(
            new Change(Side.PRODUCER, Event.RECEIPT_ARRIVES, RECORDED, RECEIVED),
            new Change(Side.PRODUCER, Event.RESULT_ARRIVES, RECORDED, new Status(ACKED_RESULT, OK)),
            new Change(Side.PRODUCER, Event.RESULT_ARRIVES, RECORDED, new Status(ACKED_RESULT, REJECTED)),
            new Change(Side.PRODUCER, Event.RESULT_ARRIVES, RECEIVED, new Status(ACKED_RESULT, OK)),
            new Change(Side.PRODUCER, Event.RESULT_ARRIVES, RECEIVED, new Status(ACKED_RESULT, REJECTED)),
            new Change(Side.CONSUMER, Event.HANDLER_DECIDES, RECEIVED, new Status(NACKED_RESULT, OK)),
            new Change(Side.CONSUMER, Event.HANDLER_DECIDES, RECEIVED, new Status(NACKED_RESULT, REJECTED)),
            new Change(
                    Side.CONSUMER,
                    Event.ACKNOWLEDGEMENT_ARRIVES,
                    new Status(NACKED_RESULT, OK),
                    new Status(ACKED_RESULT, OK)),
            new Change(
                    Side.CONSUMER,
                    Event.ACKNOWLEDGEMENT_ARRIVES,
                    new Status(NACKED_RESULT, REJECTED),
                    new Status(ACKED_RESULT, REJECTED)));

    public static List<Change> changes() {
        return CHANGES;
    }

    /** The status of a new record. */
    public static Status first(Side side) {
        return switch (side) {
            case PRODUCER -> RECORDED;
            case CONSUMER -> RECEIVED;
        };
    }

    /** The acknowledgement statuses from which the event changes a record, as a guard takes them. */
    public static String[] before(Side side, Event event) {
        return CHANGES.stream()
                .filter(change -> change.side() == side && change.event() == event)
                .map(change -> change.from().ack().name())
                .distinct()
                .toArray(String[]::new);
    }

    /** A Mermaid state diagram of one side. */
    public static String diagram(Side side) {
        StringBuilder diagram = new StringBuilder("stateDiagram-v2\n");
        diagram.append("    [*] --> ").append(name(first(side))).append('\n');
        for (Change change : CHANGES) {
            if (change.side() == side) {
                diagram.append("    %s --> %s: %s%n"
                        .formatted(
                                name(change.from()),
                                name(change.to()),
                                change.event().name().toLowerCase(Locale.ROOT).replace('_', ' ')));
            }
        }
        CHANGES.stream()
                .filter(change -> change.side() == side && change.to().ack() == ACKED_RESULT)
                .map(change -> name(change.to()))
                .distinct()
                .forEach(last -> diagram.append("    ").append(last).append(" --> [*]\n"));
        return diagram.toString();
    }

    private static String name(Status status) {
        return status.ack() + "_" + status.processing();
    }

    private StatusTable() {}
}
