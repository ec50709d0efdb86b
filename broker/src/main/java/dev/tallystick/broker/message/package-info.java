/**
 * What happens to accepted messages: positions in the history, deliveries, topics, queues and search.
 *
 * <p>{@link dev.tallystick.broker.message.History} reads by position, {@link dev.tallystick.broker.message.Deliveries} leases and acknowledges, {@link dev.tallystick.broker.message.Directory} has topics and queues.
 *
 * <p>Invariant: once a position was read, nothing appears before it.
 */
@NullMarked
package dev.tallystick.broker.message;

import org.jspecify.annotations.NullMarked;
