package dev.tallystick.engine.crash;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.HaltAt;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * An engine in a process of its own, which halts where its parent said. Arguments: the JDBC URL, the scenario, the name of the
 * workflow.
 */
final class KilledEngine {

    public static void main(String[] arguments) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(arguments[0]);
        Scenario scenario = Scenario.named(arguments[1]);
        String name = arguments[2];
        CrashPoints halt = HaltAt.configured();
        Workbench workbench = new Workbench(source);
        Database database = Database.on(source, RandomGenerator.getDefault(), halt);
        Engine engine = workbench.start(database, Workbench.SETTINGS, halt, each -> scenario.register(each, name));
        scenario.begin(workbench, engine, name);
        System.out.println("begun");
        while (true) {
            LockSupport.park();
        }
    }

    private KilledEngine() {}
}
