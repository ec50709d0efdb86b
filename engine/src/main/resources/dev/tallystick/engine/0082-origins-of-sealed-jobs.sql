-- Which sealed jobs come from another one: `origin` is the job that was rerun, forked or continued, or the parent. Null for a job
-- of its own, and once the job is erased. Proofs of keys list what comes from a key's job, long after the jobs are gone.

alter table tally.sealed_job add column origin uuid;

update tally.sealed_job
set origin = (convert_from(accepted_record, 'UTF8')::json ->> 'origin')::uuid
where accepted_record is not null;

create index sealed_job_origin on tally.sealed_job (origin) where origin is not null;
