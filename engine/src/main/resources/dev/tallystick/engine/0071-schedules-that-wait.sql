-- A schedule whose owner's budget is used up keeps its moment and is not due before `waits_until`: it fires late, and not never.

alter table tally.schedule add column waits_until timestamptz;
