/**
 * The daemon: accepts messages and jobs while the network is down, and delivers each of them once.
 *
 * <p>{@link dev.tallystick.daemon.Daemon} joins the outbox, delivery, the inbox, hooks and the local interface, as a process or
 * inside an application; {@link dev.tallystick.daemon.DaemonSettings} describes it; {@link
 * dev.tallystick.daemon.DaemonDirectory} is the place of its files, for one daemon at a time and one user.
 *
 * <p>Invariant: an accepted send is on disk, and reaches the server at least once under its key, or is reported as dead.
 */
@NullMarked
package dev.tallystick.daemon;

import org.jspecify.annotations.NullMarked;
