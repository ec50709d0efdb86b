-- attribute what a job can be found by, as whoever submits it or the job itself says. A job without attributes has no row here.
--           Job ids sort by time, so the index also gives the jobs with one value in the order of time.

create table tally.attribute (
    job_id uuid not null,
    name   text not null,
    value  text not null,
    mesh   text not null,
    primary key (job_id, name)
);

create index attribute_value on tally.attribute (mesh, name, value, job_id);
