/**
 * What every command needs: how it runs and answers, exit codes, progress, logs, and the connection to a server.
 *
 * <p>{@code TallyCommand} is the base class, {@code CommandFailed} an error that the user can fix.
 *
 * <p>Knows nothing of single commands.
 */
@NullMarked
package dev.tallystick.cli.command;

import org.jspecify.annotations.NullMarked;
