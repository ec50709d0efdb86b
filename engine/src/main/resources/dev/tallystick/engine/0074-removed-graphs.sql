-- A deployed graph may be removed: no new jobs of it are started, those that are open go on to their end, and the version stays
-- taken. So the row stays, for every engine that runs such a job.
--
--   graph.removed_at  since when; null if jobs of it are started. To deploy the same text again sets it back to null.

alter table tally.graph add column removed_at timestamptz;
