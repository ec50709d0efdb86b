-- What others vouch for, and which keys the log had.
--
--   seal_log.witnessed  the newest checkpoint that a quorum of witnesses cosigned, and its size. It may be behind `checkpoint`:
--                       witnesses are asked when a batch is anchored, and may be slow. Receipts name it if it covers their entries.
--   log_rotation        the last checkpoint of each key that was replaced. The entry that names the next key is the last but one
--                       of that size.

alter table tally.seal_log add column witnessed_size bigint not null default 0;
alter table tally.seal_log add column witnessed text;

create table tally.log_rotation (
    size       bigint primary key,
    checkpoint text   not null
);
