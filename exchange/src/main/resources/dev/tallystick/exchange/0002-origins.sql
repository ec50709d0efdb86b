-- Who in this installation wants to know the outcome of a posting, a line for each; null once all of them know it. Nothing of
-- it leaves the installation. The index holds the settled postings whose origins are still to learn of it.
alter table tally.exchange_posting add column origin text;

create index exchange_posting_untold on tally.exchange_posting (producer, settled_at)
    where origin is not null and settled_at is not null;
