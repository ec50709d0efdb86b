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
 * Checks that everything accepted by one transaction is still complete. It finds orphans only if tables were edited by hand, a
 * backup was restored in part, or the code is wrong. Thread-safe.
 */
public final class OrphanCheck {

    private static final Logger LOG = LoggerFactory.getLogger(OrphanCheck.class);

    static final int MAX_EXAMPLES = 10;

    private final Database database;
    private final Duration remembered;
    private final OrphanStore store = new OrphanStore();
    private volatile @Nullable OrphanReport last;

    /** @param retention older messages have no key any more, but may still wait for a consumer */
    OrphanCheck(Database database, KeyRetention retention) {
        this.database = database;
        this.remembered = retention.duration();
    }

    /** Runs the check now. */
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
            LOG.error("found orphaned rows: {}", report);
        }
        last = report;
        return report;
    }

    /** The result of the last check; empty if this process has not run one yet. */
    public Optional<OrphanReport> last() {
        return Optional.ofNullable(last);
    }
}
