package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.message.StatusTable;
import java.util.List;

/**
 * The messages that answer a posting, made from its row. Every repeat of the posting gets the same bytes, because none of the
 * fields in them changes any more.
 */
final class Answers {

    /** How the entry of the audit trail begins that records the outcome; a result carries the entries before it. */
    private static final String HANDLED = " handled, ";

    /** The result if there is one, otherwise the receipt. */
    static byte[] of(ReceivedRow row) {
        ReceivedRow.Decision decision = row.decision();
        return decision == null ? receipt(row) : result(row, row.status().processing(), decision);
    }

    static byte[] receipt(ReceivedRow row) {
        return MessageFormat.write(new Message(
                row.ref(),
                StatusTable.first(StatusTable.Side.CONSUMER),
                0,
                row.inception(),
                null,
                new Message.Body.Receipt(row.receipt()),
                List.of()));
    }

    static byte[] result(ReceivedRow row, ProcessingStatus processing, ReceivedRow.Decision decision) {
        return MessageFormat.write(new Message(
                row.ref(),
                new Status(AckStatus.NACKED_RESULT, processing),
                0,
                row.inception(),
                null,
                new Message.Body.Result(
                        processing, decision.payload(), decision.reason(), row.receipt(), decision.signature()),
                row.audit().stream().takeWhile(line -> !line.contains(HANDLED)).toList()));
    }

    private Answers() {}
}
