/**
 * Meshes, their members, tokens, devices and quotas.
 *
 * <p>{@link dev.tallystick.broker.member.Members} authenticates; {@link dev.tallystick.broker.member.Devices} knows the keys of daemons.
 *
 * <p>Invariant: identity is an ID that is never given again, whatever happens to the name.
 */
@NullMarked
package dev.tallystick.broker.member;

import org.jspecify.annotations.NullMarked;
