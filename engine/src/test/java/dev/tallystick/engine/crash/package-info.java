/**
 * Kills engines: at every named crash point, in this process and in a child process, and at random. Another engine then takes
 * over, and each job must have ended once, with one of everything.
 */
@NullMarked
package dev.tallystick.engine.crash;

import org.jspecify.annotations.NullMarked;
