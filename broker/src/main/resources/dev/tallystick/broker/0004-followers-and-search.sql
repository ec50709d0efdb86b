-- Followers: those who go through the history on their own, after the fact, and remember how far they have come. What
-- they make can be thrown away and made anew, by setting their position to 0.

create table tally.follower (
    name     text   primary key,
    position bigint not null
);

-- The words of messages, made by the follower 'search'.
create table tally.search (
    message_id uuid     primary key,
    mesh       text     collate "C" not null,
    position   bigint   not null,
    words      tsvector not null
);

create index search_words on tally.search using gin (words);
