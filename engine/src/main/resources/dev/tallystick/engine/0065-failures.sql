-- What an attempt failed with is kept with its activity until a later attempt succeeds; `error` says it in one line.
--
-- activity.stack_trace  the stack trace with all causes, bounded, as text through the codec: it may hold personal data. Of the
--                       last failure that had one.
-- activity.failed_at    when that was
-- activity.retry_at     when a step of code is tried again; null while an attempt is under way. Work of a graph has a posting
--                       that says so.
--
-- An activity that was told of a failure is an event of its own: 'failed' instead of 'returned'.

alter table tally.activity
    add column stack_trace bytea,
    add column failed_at   timestamptz,
    add column retry_at    timestamptz;

alter table tally.job_event
    drop constraint job_event_event_check,
    add constraint job_event_event_check
        check (event in ('accepted', 'entered', 'signalled', 'returned', 'failed', 'closed'));
