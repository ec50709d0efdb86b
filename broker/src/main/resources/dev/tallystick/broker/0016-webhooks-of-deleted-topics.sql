-- A topic that is created again is another topic. A webhook of the one that was deleted is called for what is on its way and
-- for nothing else; it stays in the list, with the moment at which its topic went, until its owner deletes it.

alter table tally.webhook add column ended_at timestamptz;

update tally.webhook w
set ended_at = now()
where starts_with(w.source, 'topic:')
    and not exists (
        select
        from tally.subscription s
        where s.mesh = w.mesh and s.source = w.source and s.inbox = 'webhook:' || w.id
    );
