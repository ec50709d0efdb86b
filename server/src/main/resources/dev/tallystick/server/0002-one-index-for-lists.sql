-- Lists of jobs walk the engine's index job_state (mesh, state, id), with or without a state that is wanted, so this one has
-- nothing left to do but to be written for every job.
--
-- job_state names the outcome, so the update that closes a job cannot be heap-only and writes each index of the table again. Any
-- index that finds the open or the failed jobs of a mesh does that, a partial one too, for Postgres counts the columns of
-- its condition; and without one a list of the few jobs in a rare state walks all of its mesh, which took 57 to 166 ms beside
-- 400,000 jobs. What can be saved is the number of indexes that are written: with this one gone it is the primary key and
-- job_state, and for few jobs those of parents and chains.

drop index tally.job_list;
