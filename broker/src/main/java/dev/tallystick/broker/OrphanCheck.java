package dev.tallystick.broker;

import dev.tallystick.keys.KeyRetention;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SessionLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether everything that one transaction accepted is still together. It finds nothing unless somebody has meddled with
 * the tables, a backup was restored in part, or the code is wrong. Thread-safe.
 */
public final class OrphanCheck {

    private static final Logger LOG = LoggerFactory.getLogger(OrphanCheck.class);

    static final int MAX_EXAMPLES = 10;

    private final Database database;
    private final Duration remembered;
    private final OrphanStore store = new OrphanStore();
    private volatile @Nullable OrphanReport last;

    /** @param retention what is older has no key any more, and may still be there because somebody has not taken it yet */
    OrphanCheck(Database database, KeyRetention retention) {
        this.database = database;
        this.remembered = retention.duration();
    }

    /** Looks now. */
    public OrphanReport run() {
        List<OrphanReport.Finding> findings = new ArrayList<>();
        for (OrphanReport.Kind kind : OrphanReport.Kind.values()) {
            List<String> found =
                    database.transact("look for orphans", SessionLimits.LONG, tx -> store.find(tx, kind, remembered));
            if (!found.isEmpty()) {
                findings.add(new OrphanReport.Finding(
                        kind, found.size(), found.stream().limit(MAX_EXAMPLES).toList()));
            }
        }
        OrphanReport report = new OrphanReport(findings);
        if (!report.isClean()) {
            LOG.error("rows that belong together are not: {}", report);
        }
        last = report;
        return report;
    }

    /** What was found when it was looked last; empty if this process has not looked yet. */
    public Optional<OrphanReport> last() {
        return Optional.ofNullable(last);
    }
}
