/**
 * The {@code tally} command.
 *
 * <p>{@link dev.tallystick.cli.Tally} is the entry: it knows the commands, the options that every one of them takes, and how
 * an error is told. Each command is one class that extends {@code TallyCommand}, says its answer once for people and once
 * for programs, and ends with an {@code ExitCode}.
 *
 * <p>Invariant: standard output has the answer and nothing else; all complaints go to standard error. What the user can put
 * right is a sentence without a stack trace.
 *
 * <p>Knows nothing of how the other modules do their work. A short command starts fast because it loads none of them but
 * {@code core}.
 */
@NullMarked
package dev.tallystick.cli;

import org.jspecify.annotations.NullMarked;
