-- A job may end by going on as a new one, which it is `continued_from`: its outcome is then 'continued'.
--
--   job.first_job, run   the job that the chain began with, and which link of the chain this is, from 1. Whoever asks for the
--                        first job, or for any that has gone on, means the one with the highest `run`; that stays so when the
--                        older ones are dropped.
--   signal.first_job     set when the job that it was sent to goes on. A signal that nobody took moves to the new job; one that
--                        was taken stays where it was, and its key is still known to the whole chain.
--
-- The new job takes over who waits for it (`parent_…`) and until when it must be done.

alter table tally.job
    add column first_job uuid,
    add column run int;

create index job_chain on tally.job (first_job, run) where first_job is not null;

alter table tally.signal add column first_job uuid;

create index signal_chain on tally.signal (first_job, name, sender_key) where first_job is not null;
