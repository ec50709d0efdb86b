package dev.tallystick.bench;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Workflows and jobs, ours and the peers', on one Postgres with the same settings. A peer runs in the mode that makes it
 * fastest.
 */
final class EngineSuite implements Suite {

    @Override
    public List<Contender> contenders(DataSource database) {
        List<Contender> contenders = new ArrayList<>();
        TallyPeer tally = new TallyPeer(database);
        DbosPeer dbos = new DbosPeer(database);
        for (int callers : new int[] {1, 32}) {
            add(contenders, dbos.workflow(1, callers), tally.workflow(1, callers));
        }
        add(contenders, dbos.workflow(3, 32), tally.workflow(3, 32));
        add(contenders, new DbSchedulerPeer(database).batch(), tally.batch("tally.batch100"));
        contenders.add(tally.timers());
        Contender jobRunr = new JobRunrPeer(database).batch();
        contenders.add(jobRunr);
        return contenders;
    }

    private static void add(List<Contender> contenders, Contender peer, Contender ours) {
        contenders.add(peer);
        contenders.add(ours.against(peer.name()));
    }
}
