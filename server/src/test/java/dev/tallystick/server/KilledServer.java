package dev.tallystick.server;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.keys.KeysCrashPoint;
import dev.tallystick.server.http.Limits;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.HaltAt;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A server in a process of its own, which halts where its parent said, and tells how many submissions it took along. Arguments:
 * the JDBC URL, the directory, the port; and the order of a job that it submits to itself before it ends, if it has to end.
 */
final class KilledServer {

    static final String DIES = "dies";

    /** Whether the transaction of this thread accepts something: the commits of others are not what is looked at here. */
    private static final ThreadLocal<Boolean> ACCEPTING = ThreadLocal.withInitial(() -> false);

    public static void main(String[] arguments) {
        CrashPoints halting = HaltAt.configured(() -> System.out.println(DIES));
        Path data = Path.of(arguments[1]);
        TallyServer server = TallyServer.start(
                ServerUnderTest.settings(arguments[0], data)
                        .at(ServerSettings.LOOPBACK, Integer.parseInt(arguments[2])),
                Limits.DEFAULT,
                point -> reached(point, halting));
        if (arguments.length > 3) {
            rehearse(new Http(server.address(), ServerUnderTest.adminToken(data)), arguments[3]);
            server.close();
            return;
        }
        System.out.println("ready " + server.address());
        while (true) {
            LockSupport.park();
        }
    }

    private static void rehearse(Http client, String order) {
        String job = client.submit(order, "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"" + order + "\"}}")
                .text("job_id");
        client.get("/v1/jobs/" + job + "/result?wait=60");
    }

    private static void reached(CrashPoint point, CrashPoints halting) {
        if (point == KeysCrashPoint.ACCEPT_WRITTEN) {
            ACCEPTING.set(true);
        }
        if (!(point instanceof SqlCrashPoint) || ACCEPTING.get()) {
            halting.reached(point);
        }
        if (point == SqlCrashPoint.AFTER_COMMIT) {
            ACCEPTING.remove();
        }
    }

    private KilledServer() {}
}
