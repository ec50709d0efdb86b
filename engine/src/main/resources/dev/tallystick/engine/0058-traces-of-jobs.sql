-- job_trace the trace context (W3C traceparent) that a job was submitted with: where its spans belong, in whichever process and
--           however much later they are made. A job that came without one has no row here, nor has one that another job began
--           without saying so: it belongs where that one does.

create table tally.job_trace (
    job_id      uuid primary key,
    traceparent text not null
);
