/**
 * Reads a whole log as an auditor does, with the directory and the root key alone, and reports everything that is wrong.
 *
 * <p>Main types: {@link dev.tallystick.log.audit.LogAudit}, {@link dev.tallystick.log.audit.Finding};
 * {@link dev.tallystick.log.audit.MemberAudit}, for members whose secrets are shown.
 *
 * <p>Invariant: an audit trusts no file: each entry is hashed up to the signed root, and the key map is built from the entries.
 */
@NullMarked
package dev.tallystick.log.audit;

import org.jspecify.annotations.NullMarked;
