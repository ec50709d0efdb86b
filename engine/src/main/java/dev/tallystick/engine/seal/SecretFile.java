package dev.tallystick.engine.seal;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.SecretReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Secrets in files that only their owner may read or write. */
final class SecretFile {

    private SecretFile() {}

    /** The content; the first time, {@code fresh} makes it. If several processes make it at once, all get that of one. */
    static String readOrMake(Path file, Supplier<String> fresh) {
        try {
            if (!Files.exists(file)) {
                make(file, fresh.get());
            }
            return SecretReader.read(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot use " + file, e);
        }
    }

    private static void make(Path file, String content) throws IOException {
        try {
            ForcedFiles.createWhole(file, (content + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (FileAlreadyExistsException other) {
            // Another process was first, and its secret counts.
        }
        ForcedFiles.forceDirectory(file.toAbsolutePath().resolveSibling(""));
    }
}
