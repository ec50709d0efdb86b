/**
 * The basis of every test of the project: ways to crash, to lose a reply and to wait, and checks of our promises.
 *
 * <p>Crashing: {@link dev.tallystick.testkit.CrashAt} in this process, {@link dev.tallystick.testkit.ChildJvm} in another.
 * Losing replies: {@link dev.tallystick.testkit.TcpProxy} in front of Postgres. Waiting:
 * {@link dev.tallystick.testkit.Signal}, {@link dev.tallystick.testkit.Gate}, {@link dev.tallystick.testkit.SettableClock}.
 * Checking: {@link dev.tallystick.testkit.History}. A database: {@link dev.tallystick.testkit.TestPostgres}.
 *
 * <p>Invariant: every wait is bounded and says what it waited for; every process, port and thread ends with its test.
 *
 * <p>Knows nothing of jobs, ledgers or keys: only crash points, connections and the contents of a store.
 */
@NullMarked
package dev.tallystick.testkit;

import org.jspecify.annotations.NullMarked;
