-- Whoever lists the jobs of a mesh reads them from the newest back: ids are in the order of time.

create index job_list on tally.job (mesh, id desc);
