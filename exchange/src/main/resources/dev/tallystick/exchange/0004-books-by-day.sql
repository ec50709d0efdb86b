-- The books of a day, without reading those of all others: rows are written in the order of their inception, more or less.
create index exchange_posting_inception on tally.exchange_posting using brin (inception_datum) with (pages_per_range = 32);
create index exchange_received_inception on tally.exchange_received using brin (inception_datum) with (pages_per_range = 32);

-- A packet is read once and deleted: compressing it costs more than its space.
alter table tally.exchange_packet alter column body set storage external;
