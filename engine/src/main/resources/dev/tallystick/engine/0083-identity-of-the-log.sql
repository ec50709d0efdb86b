-- Which log this database has, and what keeps two processes from writing different batches into it.
--
--   seal_log.root_key    the public key that the log began with
--   seal_log.secret_id   identifies the installation's secret: a process with another one must not seal. Both are null for a log
--                        that began before they were recorded.
--
-- The log's `size` is the fence: an intent and an anchor name the size that they build upon, and sizes only grow. The columns
-- named `fence` are no longer read. The lease only spares two processes the same work.

alter table tally.seal_log add column root_key text;
alter table tally.seal_log add column secret_id text;
alter table tally.seal_intent alter column fence set default 0;

-- The entries are hashes, which do not compress.
alter table tally.seal_intent alter column entries set storage external;
