-- A device's key can be replaced while the device still uses the previous one: until previous_until, both name it, and no
-- other device of the mesh can have either. host_fingerprint is a hash that the device makes of the machine it runs on: the same
-- key on another machine is a copy of the device.

alter table tally.device
    add column previous_key     bytea,
    add column previous_until   timestamptz,
    add column host_fingerprint text collate "C",
    add constraint device_previous_key_length check (octet_length(previous_key) = 32),
    add constraint device_previous_key_ends check ((previous_key is null) = (previous_until is null));

create index device_previous_key on tally.device (mesh, previous_key) where previous_key is not null;
