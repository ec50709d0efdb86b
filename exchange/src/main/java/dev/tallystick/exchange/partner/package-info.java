/**
 * Who we are and whose signatures we accept.
 *
 * <p>Main types: {@link dev.tallystick.exchange.partner.Identity}, {@link dev.tallystick.exchange.partner.Partners},
 * {@link dev.tallystick.exchange.partner.KeyRotation}.
 *
 * <p>Invariant: a partner's key comes from an operator or from a rotation that both the old and the new key signed.
 *
 * <p>Knows nothing of postings.
 */
@NullMarked
package dev.tallystick.exchange.partner;

import org.jspecify.annotations.NullMarked;
