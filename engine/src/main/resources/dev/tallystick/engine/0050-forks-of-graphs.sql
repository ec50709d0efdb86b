-- A fork of a graph asks foreign systems under the keys of the job that it came from, as one of code does.
--
--   posting.key    what its work is called outside, for as long as that is not its GUID: in a fork it is the GUID that the same
--                  work had, or would have had, in the job that `keys_of` names.

alter table tally.posting add column key uuid;
