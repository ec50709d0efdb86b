-- needs code 11
-- Windows are known by the moment at which they began, in milliseconds since 1970, and no longer by their number, so
-- that those of different lengths can be compared: the budget of a server may be changed.
--
-- The numbers say nothing without the length they were made for, so every budget begins anew.

truncate tally.rate_window, tally.rate_grant;

alter table tally.rate_window rename column window_number to window_start;
alter table tally.rate_grant rename column window_number to window_start;
