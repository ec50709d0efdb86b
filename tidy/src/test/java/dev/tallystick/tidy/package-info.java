/**
 * The house rules as tests, so that a rule is either kept or red, never a matter of taste in a review.
 *
 * <p>Main types: {@link dev.tallystick.tidy.Rule}, one rule over the text of the project; {@link
 * dev.tallystick.tidy.Module}, the arrows between the modules; {@link dev.tallystick.tidy.Ban}, what compiled code may
 * not call; {@link dev.tallystick.tidy.ConsoleBlock}, a command of the docs with the answer that they promise.
 *
 * <p>Invariant: every rule carries an offence of its own kind, and a test that it is caught. A rule cannot go blind
 * unnoticed.
 *
 * <p>Knows the repository as files and class files alone; it links against none of the modules that it judges.
 */
@NullMarked
package dev.tallystick.tidy;

import org.jspecify.annotations.NullMarked;
