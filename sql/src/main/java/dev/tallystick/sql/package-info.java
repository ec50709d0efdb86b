/**
 * Transactions whose outcome is never guessed, on any {@link javax.sql.DataSource} of a durable Postgres.
 *
 * <p>Main types: {@link dev.tallystick.sql.Database} runs named transactions, {@link dev.tallystick.sql.GroupCommitter} lets
 * concurrent callers share one commit, {@link dev.tallystick.sql.Migrations} brings a schema up to date.
 *
 * <p>Invariant: a caller learns that its transaction committed, or that nothing happened
 * ({@link dev.tallystick.sql.DefiniteFailureException}), or that the outcome is unknown
 * ({@link dev.tallystick.sql.UnknownOutcomeException}); unknown is never reported as one of the other two.
 *
 * <p>Knows nothing of jobs, keys or messages.
 */
@NullMarked
package dev.tallystick.sql;

import org.jspecify.annotations.NullMarked;
