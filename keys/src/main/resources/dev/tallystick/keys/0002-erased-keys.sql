-- A key whose text was erased: its row is replaced by one whose `key` is a hash and whose `fingerprint` is hashed with the key. So
-- a repeat still gets the first answer and runs nothing, and the table tells neither the key nor the request. What can be
-- recognised can be tested: a reader of this table who guesses a key can find out whether it was used, until the row expires.
--
-- While both rows exist, the one with the text answers. It is deleted under a lock that no transaction shares which binds keys, and
-- so no statement can have looked for the hash before that was there, and for the text after it was gone.
--
--   key_salt   one row, made by the first erasure: without it nothing is erased, and no statement computes a hash.

create table tally.key_salt (
    one_row boolean primary key default true check (one_row),
    salt    bytea   not null check (octet_length(salt) = 32)
);

create function tally.erased_key(salt bytea, mesh text, member text, key text) returns text language sql stable
    return 'erased:' || encode(
        sha256(salt || convert_to(
            length(mesh) || ':' || mesh || length(member) || ':' || member || key, 'UTF8')),
        'hex');
