-- The jobs of a mesh in one state, in the order of their ids: a list costs what it shows, whatever other meshes and states hold.
-- An entry is written when a job is accepted, and another when it closes.

create index job_state on tally.job (mesh, (coalesce(outcome, 'open')), id);
