/**
 * What the log says: typed entries, and the commitments and tags by which they say it without telling it.
 *
 * <p>Main types: {@link dev.tallystick.log.entry.LogEntry}; {@link dev.tallystick.log.entry.JobSalt}, which commits to the
 * fields of a job's records and opens them; {@link dev.tallystick.log.entry.MemberSecret}, which turns keys into tags.
 *
 * <p>Invariant: an entry has one form in bytes. It holds no record and no name: without a salt or a secret it shows only that
 * something of its type happened.
 *
 * <p>Knows nothing of proofs or files.
 */
@NullMarked
package dev.tallystick.log.entry;

import org.jspecify.annotations.NullMarked;
