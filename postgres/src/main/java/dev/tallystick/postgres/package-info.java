/**
 * A Postgres of our own that lives in one directory: for those who bring no database, and for tests.
 *
 * <p>What it promises: what was acknowledged survives the death of this process, of the server, or of both; no other user of
 * the machine gets in; and whatever state a crash left behind, the next start puts right by itself.
 *
 * <p>Main types: {@link dev.tallystick.postgres.EmbeddedPostgres}, the only door; {@code Startup}, which brings a directory
 * from any state to one running server; {@code Server}, one running process and how to stop it.
 *
 * <p>Invariant: whoever changes a directory holds its lock, and a directory called {@code data} is a complete cluster.
 *
 * <p>Knows nothing of schemas, jobs or transactions. Any other Postgres serves the rest of the system as well.
 */
@NullMarked
package dev.tallystick.postgres;

import org.jspecify.annotations.NullMarked;
