/**
 * What every test of the project stands on: ways to die, to lose a reply and to wait, and a judge of what was promised.
 *
 * <p>Dying: {@link dev.tallystick.testkit.CrashAt} in this process, {@link dev.tallystick.testkit.ChildJvm} in another.
 * Losing: {@link dev.tallystick.testkit.TcpProxy} in front of Postgres. Waiting: {@link dev.tallystick.testkit.Signal},
 * {@link dev.tallystick.testkit.Gate}, {@link dev.tallystick.testkit.SettableClock}. Judging:
 * {@link dev.tallystick.testkit.History}. A database to do it on: {@link dev.tallystick.testkit.TestPostgres}.
 *
 * <p>Invariant: every wait is bounded and says what it waited for; every process, port and thread ends with its test.
 *
 * <p>Knows nothing of jobs, ledgers or keys: only crash points, connections and what a store holds.
 */
@NullMarked
package dev.tallystick.testkit;

import org.jspecify.annotations.NullMarked;
