-- Whoever looks after a whole mesh lists its open tasks, whosever they are, the oldest first.

create index task_open on tally.task (mesh, asked_at, id) where resolved_at is null and expired_at is null;
