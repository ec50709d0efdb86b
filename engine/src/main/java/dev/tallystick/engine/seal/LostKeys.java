package dev.tallystick.engine.seal;

import dev.tallystick.keys.ScopedKey;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.sql.Database;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keys that were accepted after the backup from which this database was restored. Their jobs are lost: whether they ran is not
 * known here, so no submission under them may run. Thread-safe.
 */
public final class LostKeys {

    /** A key is accepted again only after it has expired, so few of its acceptances can be unexpired and lost. */
    private static final int MOST_ACCEPTANCES = 8;

    private final Database database;
    private final ReplayStore store = new ReplayStore();
    /** Null if there are none. */
    private final @Nullable InstallationSecret secret;

    private LostKeys(Database database, @Nullable InstallationSecret secret) {
        this.database = database;
        this.secret = secret;
    }

    /**
     * Reads whether there are any. A database is restored while no server runs, so there are none later if there are none now.
     *
     * @param secrets the directory of the installation's secret, which recognises them; null if this process does not seal
     * @throws IllegalArgumentException if there are some and the secret is missing, or the restore is not settled
     */
    public static LostKeys open(Database database, @Nullable Path secrets) {
        ReplayStore store = new ReplayStore();
        if (database.transact("read the restore", store::isUnsettled)) {
            throw new IllegalArgumentException("this database was restored, and not yet compared with its log:"
                    + " run 'tally restore' to its end");
        }
        boolean any = database.transact("look for lost keys", store::hasLost);
        if (any && secrets == null) {
            throw new IllegalArgumentException(
                    "this database was restored, and keys that were accepted after the backup"
                            + " are recognised with the installation's secret: start with --seal and the secrets");
        }
        return new LostKeys(database, any && secrets != null ? KeptSecret.read(secrets) : null);
    }

    public boolean isLost(ScopedKey key) {
        InstallationSecret known = secret;
        if (known == null) {
            return false;
        }
        MemberSecret member = known.of(key.scope().mesh(), key.scope().member(), BatchPlanner.GENERATION);
        List<byte[]> tags = new ArrayList<>();
        for (int n = 0; n < MOST_ACCEPTANCES; n++) {
            tags.add(member.tag(MemberSecret.ACCEPT_DOOR, key.key().value(), n).bytes());
        }
        return database.transact("look for a lost key", tx -> store.isLost(tx, tags));
    }
}
