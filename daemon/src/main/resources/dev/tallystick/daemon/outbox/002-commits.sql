-- How many commits have changed this file. The file outbox.mark has the same number: a lower one here means that commits
-- are missing.
create table commits (
    number integer not null
) strict;

insert into commits (number) values (0);
