-- A consumer keeps the fields of its answers instead of the answers: the same fields always make the same bytes. By
-- calculation a row with the messages themselves is longer than two kilobytes, which Postgres compresses and moves elsewhere.
alter table tally.exchange_received
    add column outcome          tally.exchange_payload,
    add column reason           text,
    add column result_signature bytea;

update tally.exchange_received r
set outcome = decode(m.message ->> 'payload', 'base64'),
    reason = m.message ->> 'reason',
    result_signature = decode(
        translate(m.message ->> 'signature', '-_', '+/') || repeat('=', -length(m.message ->> 'signature') & 3), 'base64')
from (
    select consumer, producer, id, convert_from(result_message, 'UTF8')::jsonb as message
    from tally.exchange_received
    where result_message is not null
) m
where r.consumer = m.consumer and r.producer = m.producer and r.id = m.id;

alter table tally.exchange_received
    drop constraint exchange_received_shape,
    drop column receipt_message,
    drop column result_message,
    add constraint exchange_received_shape check (
        ack <> 'NACKED_POSTING'
        and (processing = 'PENDING') = (ack = 'ACKED_POSTING')
        and (processing = 'PENDING') = (outcome_digest is null)
        and (processing = 'PENDING') = (result_signature is null)
        and (order_key is null) = (order_number is null)
    );

-- Room for the next versions of a row beside it, so that an update that changes no indexed column touches no index.
alter table tally.exchange_posting set (fillfactor = 60);
alter table tally.exchange_received set (fillfactor = 60);
