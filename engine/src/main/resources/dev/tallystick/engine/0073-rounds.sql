-- What a round of a graph brings belongs to that round.
--
--   guid.output, guid.error  what a transition brought that opened a dimension: `activity` keeps what the last one brought. Null
--                            for any other transition, whose activity says it.
--   posting.input            what work gets to which a cycle has gone back: `activity.input` is that of the last time, and several
--                            may be under way. Null for any other work.

alter table tally.guid
    add column output bytea,
    add column error  text;

alter table tally.posting add column input bytea;

create index guid_round on tally.guid (job_id, path, name, ordinal) where output is not null;
