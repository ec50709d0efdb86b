/**
 * A private Postgres that lives in one directory: for users without a database, and for tests.
 *
 * <p>Guarantees: acknowledged data survives the death of this process, of the server, or of both; no other user of the machine
 * gets in; and the next start repairs any state that a crash left behind.
 *
 * <p>Main types: {@link dev.tallystick.postgres.EmbeddedPostgres}, the only entry point; {@code Startup}, which brings a
 * directory from any state to one running server; {@code Server}, one running process and how to stop it.
 *
 * <p>Invariant: only the holder of its lock changes a directory, and a directory called {@code data} is a complete cluster.
 *
 * <p>Knows nothing of schemas, jobs or transactions. The rest of the system works with any other Postgres as well.
 */
@NullMarked
package dev.tallystick.postgres;

import org.jspecify.annotations.NullMarked;
