-- A job that must be done in time has a `deadline`, and a posting `$timeout` that falls due then. Whoever takes that ends the
-- job by a transition of its own. If the job closes first, the posting goes with it.

alter table tally.job add column deadline timestamptz;
