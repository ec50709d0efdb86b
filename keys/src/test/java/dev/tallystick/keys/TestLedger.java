package dev.tallystick.keys;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/** The key ledger of one process. */
record TestLedger(Database database, GroupCommitter committer, KeyLedger keys) implements AutoCloseable {

    static TestLedger on(DataSource source) {
        return on(source, TestKeys.OWNER, CrashPoints.NONE);
    }

    static TestLedger on(DataSource source, KeyOwner owner, CrashPoints crashPoints) {
        Database database = Database.on(source, RandomGenerator.getDefault(), crashPoints);
        GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        KeyLedger keys = new KeyLedger(database, committer, owner, TestKeys.RETENTION, TestKeys.ids(), crashPoints);
        return new TestLedger(database, committer, keys);
    }

    @Override
    public void close() {
        committer.close();
    }
}
