package dev.tallystick.engine.seal;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.SecretReader;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.Tx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.HexFormat;

/**
 * Gives a log up that cannot be continued, and lets another one follow it. An operator decides that; nothing else ever does.
 *
 * <p>The successor has a name, a key and a directory of its own, and its first entry names the log that it follows. Nothing of the
 * old log is deleted or moved: its receipts stay valid under its own root key. The jobs that the database has are sealed again, into
 * the successor; receipts of all others are still made from the copy of the old log.
 *
 * <p>Two steps, which may be repeated: the key of the successor gets its file, and one transaction makes the successor current.
 */
public final class LogSuccession {

    private final Database database;
    private final Path secrets;
    private final CrashPoints crashPoints;
    private final SealStore store = new SealStore();
    private final SuccessionStore successions = new SuccessionStore();
    private final ReplayStore restores = new ReplayStore();

    /** @param secrets the directory of the server's secrets */
    public LogSuccession(Database database, Path secrets, CrashPoints crashPoints) {
        this.database = database;
        this.secrets = secrets;
        this.crashPoints = crashPoints;
    }

    /** The log that is current now, and the one that was given up. */
    public record Succeeded(LogNumber number, VerifierKey rootKey, String oldOrigin, long oldSize) {}

    /**
     * Gives the current log up. Does nothing if that has happened and the successor has sealed nothing yet.
     *
     * @param reason why, for everyone to read: it is in the log
     * @param isLogLost whether a restored database may stay as it is, although it could not be compared with its log
     * @throws IllegalArgumentException if that cannot be done, with the reason
     */
    public Succeeded succeed(String reason, boolean isLogLost) throws IOException {
        SealStore.Anchor anchor = database.transact("read the anchor of the log", store::anchor)
                .orElseThrow(() -> new IllegalArgumentException("the jobs of this database were never sealed"));
        if (hasJustBegun(anchor)) {
            return succeeded();
        }
        String old = rootKey(anchor);
        LogEntry.Succession checked = new LogEntry.Succession(VerifierKey.parse(old), null, reason);
        LogNumber next = anchor.number().next();
        NoteSigner signer = key(next, next.before().nextOrigin(anchor.origin()));
        InstallationSecret secret = secret(anchor);
        crashPoints.reached(SuccessionCrashPoint.KEY_MADE);
        database.transact("give the log up", SessionLimits.LONG, tx -> {
            store.holdJobs(tx);
            if (!isStill(tx, anchor)) {
                throw new IllegalArgumentException(
                        "another process has just given the log up, or sealed: run this again");
            }
            if (successions.isLeased(tx)) {
                throw new IllegalArgumentException("a server seals into the log '" + anchor.origin()
                        + "': stop it, or wait until its lease has run out, a quarter of a minute later");
            }
            settle(tx, isLogLost);
            successions.giveUp(tx, old, checked.reason());
            successions.begin(
                    tx,
                    signer.key().name(),
                    signer.key().toString(),
                    secret.id().hex());
            store.queueAll(tx);
            crashPoints.reached(SuccessionCrashPoint.SUCCEEDING);
            return null;
        });
        crashPoints.reached(SuccessionCrashPoint.SUCCEEDED);
        return succeeded();
    }

    /** Whether the log succeeds another one and has no entries: a repeat of the command that began it must not begin a third. */
    private boolean hasJustBegun(SealStore.Anchor anchor) {
        return !anchor.number().equals(LogNumber.FIRST)
                && anchor.size() == 0
                && Files.exists(secrets.resolve(SigningKeys.current(anchor.number())));
    }

    private Succeeded succeeded() {
        return database.transact("read which log this is", tx -> {
            SealStore.Anchor anchor = store.anchor(tx).orElseThrow();
            SuccessionStore.Old old =
                    successions.find(tx, anchor.number().before()).orElseThrow();
            return new Succeeded(
                    anchor.number(), VerifierKey.parse(String.valueOf(anchor.rootKey())), old.origin(), old.size());
        });
    }

    private boolean isStill(Tx tx, SealStore.Anchor anchor) throws SQLException {
        SealStore.Anchor now = store.anchor(tx).orElseThrow();
        return now.origin().equals(anchor.origin()) && now.size() == anchor.size();
    }

    private void settle(Tx tx, boolean isLogLost) throws SQLException {
        if (!restores.isUnsettled(tx)) {
            return;
        }
        if (!isLogLost) {
            throw new IllegalArgumentException("this database was restored, and not yet compared with its log:"
                    + " run 'tally restore' to its end, or say that the log is lost");
        }
        restores.settle(tx);
    }

    private NoteSigner key(LogNumber number, String origin) throws IOException {
        Files.createDirectories(secrets);
        Path file = secrets.resolve(SigningKeys.current(number));
        NoteSigner signer = NoteSigner.parse(SecretFile.readOrMake(
                file,
                () -> NoteSigner.generate(origin, VerifierKey.Type.NOTE, new SecureRandom())
                        .secretText()
                        .strip()));
        if (!signer.key().name().equals(origin)) {
            throw new IllegalArgumentException(file + " is the key of the log '"
                    + signer.key().name() + "', not of '" + origin + "': move it away");
        }
        return signer;
    }

    private String rootKey(SealStore.Anchor anchor) throws IOException {
        String recorded = anchor.rootKey();
        Path file = secrets.resolve(SigningKeys.current(anchor.number()));
        if (recorded == null && !Files.exists(file)) {
            throw new IllegalArgumentException(
                    "the root key of the log '" + anchor.origin() + "' is not known: bring " + file + " back");
        }
        return recorded == null
                ? NoteSigner.parse(SecretReader.read(file)).key().toString()
                : recorded;
    }

    /** The secret stays the same if it is there: lost keys are recognised with it. */
    private InstallationSecret secret(SealStore.Anchor anchor) {
        Path file = secrets.resolve(KeptSecret.FILE);
        if (Files.exists(file)) {
            InstallationSecret kept = KeptSecret.read(secrets);
            String id = anchor.secretId();
            if (id != null && !id.equals(kept.id().hex())) {
                throw new IllegalArgumentException(file
                        + " is another secret than the one of this log: bring that one back, or move this one away");
            }
            return kept;
        }
        if (database.transact("look for lost keys", restores::hasLost)) {
            throw new IllegalArgumentException(
                    file + " is missing, and keys that a restore lost are recognised with it: bring it back");
        }
        String hex = SecretFile.readOrMake(
                file,
                () -> HexFormat.of()
                        .formatHex(InstallationSecret.draw(new SecureRandom()).bytes()));
        return InstallationSecret.of(HexFormat.of().parseHex(hex));
    }
}
