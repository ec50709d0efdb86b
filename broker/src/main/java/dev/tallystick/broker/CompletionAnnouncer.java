package dev.tallystick.broker;

import dev.tallystick.broker.model.Announcement;
import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import java.util.List;

/** Announces the ends of jobs to the subscribers of their workflows. An end is taken and announced in one transaction. */
public final class CompletionAnnouncer {

    private static final int BATCH = 200;

    private final Database database;
    private final CompletionWatch ends;
    private final CrashPoints crashPoints;
    private final AnnouncementStore store = new AnnouncementStore();

    public CompletionAnnouncer(Database database, CompletionWatch ends, CrashPoints crashPoints) {
        this.database = database;
        this.ends = ends;
        this.crashPoints = crashPoints;
    }

    /** Announces all ends so far. Returns the number of deliveries. */
    public int run() {
        int made = 0;
        int taken;
        do {
            Round round = database.transact("announce ends", tx -> {
                List<Announcement> ended = ends.take(tx, BATCH);
                if (ended.isEmpty()) {
                    return new Round(0, 0);
                }
                int deliveries = store.announce(tx, ended);
                crashPoints.reached(BrokerCrashPoint.ANNOUNCED);
                return new Round(ended.size(), deliveries);
            });
            taken = round.taken;
            made += round.deliveries;
        } while (taken == BATCH);
        return made;
    }

    private record Round(int taken, int deliveries) {}
}
