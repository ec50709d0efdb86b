package dev.tallystick.cli.ledger;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.ledger.DamagedAnchorException;
import dev.tallystick.ledger.FileAnchor;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.verifier.Trust;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What users pass to the commands: files, keys and words, each refused with what to do about it. */
public final class LedgerInput {

    static <T> T valid(Supplier<T> value, String whatToDo) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(ExitCode.USAGE, message(e), whatToDo);
        }
    }

    static String message(Exception e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    public static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new CommandFailed(ExitCode.NOT_FOUND, "there is no file " + file, "Check the path.");
        } catch (CharacterCodingException e) {
            throw new CommandFailed(ExitCode.USAGE, file + " is not text in UTF-8", "Check the path.");
        } catch (IOException e) {
            throw new CommandFailed(ExitCode.USAGE, "cannot read " + file + ": " + message(e), "Check the path.");
        }
    }

    static PublicKey key(Path file) throws IOException {
        String line = read(file);
        return valid(() -> PublicKey.parse(line), "Pass a file with one line 'ssh-ed25519 AAAA…'.");
    }

    /** The trusted keys and anchor that the user passed. */
    static Trust trust(@Nullable Path rootKey, @Nullable Path currentKey, @Nullable Path anchor) throws IOException {
        Trust trust = rootKey == null ? Trust.nothing() : Trust.in(key(rootKey).line());
        trust = currentKey == null ? trust : trust.signedTodayBy(key(currentKey).line());
        if (anchor == null) {
            return trust;
        }
        Anchored known = anchored(new FileAnchor(anchor))
                .orElseThrow(() -> new CommandFailed(
                        ExitCode.NOT_FOUND, "there is no anchor " + anchor, "Create one with 'anchor'."));
        return known.addedTo(trust);
    }

    private static Optional<Anchored> anchored(FileAnchor anchor) throws IOException {
        try {
            return anchor.read();
        } catch (DamagedAnchorException e) {
            throw new CommandFailed(
                    ExitCode.USAGE, message(e), "Pass a file written by 'tally ledger anchor', and keep this one.");
        }
    }

    private LedgerInput() {}
}
