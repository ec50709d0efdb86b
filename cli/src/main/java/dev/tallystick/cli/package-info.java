/**
 * The {@code tally} command.
 *
 * <p>{@link dev.tallystick.cli.Tally} is the entry point: it lists the commands and handles common options and errors. Each
 * command is a class that extends {@code TallyCommand}, answers as text for people or JSON for programs, and returns an
 * {@code ExitCode}.
 *
 * <p>Invariant: standard output has the answer and nothing else; errors go to standard error. An error that the user can fix
 * is a sentence without a stack trace.
 *
 * <p>Knows nothing of the other modules' internals. Short commands start fast because they load no module but {@code core}.
 */
@NullMarked
package dev.tallystick.cli;

import org.jspecify.annotations.NullMarked;
