-- A worker that repeats a result after a lost reply gets the answer of the first time.
--
--   guid.late        true if the job had closed when this was recorded, so that it changed nothing; null otherwise.
--   guid.said        a digest of what a worker elsewhere said; null if an engine said it. Another digest under the same
--                    fence is no repeat.
--   failed_attempt   an attempt of a worker elsewhere that failed and was not the last one, with a digest of what it said.
--                    Its fence ended with it.

alter table tally.guid add column late boolean;
alter table tally.guid add column said uuid;

create table tally.failed_attempt (
    job_id uuid   not null,
    guid   uuid   not null,
    fence  bigint not null,
    said   uuid   not null,
    primary key (job_id, guid, fence)
);
