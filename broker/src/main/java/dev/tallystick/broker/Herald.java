package dev.tallystick.broker;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import java.util.List;

/** Announces the ends of jobs to the subscribers of their workflows. An end is taken and announced in one transaction. */
final class Herald {

    private static final int BATCH = 200;

    private final Database database;
    private final EndWatch ends;
    private final CrashPoints crashPoints;
    private final AnnouncementStore store = new AnnouncementStore();

    Herald(Database database, EndWatch ends, CrashPoints crashPoints) {
        this.database = database;
        this.ends = ends;
        this.crashPoints = crashPoints;
    }

    /** Announces all ends so far. Returns the number of deliveries. */
    int run() {
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
