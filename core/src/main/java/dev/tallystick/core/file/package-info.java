/**
 * Files that survive a crash: {@link dev.tallystick.core.file.ForcedFiles} writes what is on disk on return,
 * {@link dev.tallystick.core.file.ProcessLock} is held by one thread of one process,
 * {@link dev.tallystick.core.file.SecretReader} reads secrets that only their owner may read.
 *
 * <p>Knows nothing of what the files say.
 */
@NullMarked
package dev.tallystick.core.file;

import org.jspecify.annotations.NullMarked;
