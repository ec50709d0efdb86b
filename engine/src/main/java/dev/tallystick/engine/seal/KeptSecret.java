package dev.tallystick.engine.seal;

import dev.tallystick.core.file.SecretReader;
import dev.tallystick.log.entry.InstallationSecret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;

/** The installation's secret, as it was kept outside of the backups. */
final class KeptSecret {

    static final String FILE = "installation.secret";

    private KeptSecret() {}

    /** @throws IllegalArgumentException if it is not there */
    static InstallationSecret read(Path secrets) {
        Path file = secrets.resolve(FILE);
        try {
            return InstallationSecret.of(HexFormat.of().parseHex(SecretReader.read(file)));
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(
                    file + " is missing: bring it back from where you keep it; a backup does not hold it", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
