/**
 * The values that the rooms of the broker share: messages, members, inboxes, names, ends of jobs.
 *
 * <p>Knows nothing of the other rooms.
 */
@NullMarked
package dev.tallystick.broker.model;

import org.jspecify.annotations.NullMarked;
