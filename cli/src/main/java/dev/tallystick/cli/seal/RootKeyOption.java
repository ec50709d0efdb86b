package dev.tallystick.cli.seal;

import dev.tallystick.log.note.VerifierKey;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option of commands that check a log against its root key. */
final class RootKeyOption {

    @Option(
            names = "--root-key",
            paramLabel = "FILE",
            required = true,
            description = "The root key of the log, obtained from a trusted source.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private Path file;

    VerifierKey read() {
        return VerifyCommand.key(file);
    }
}
