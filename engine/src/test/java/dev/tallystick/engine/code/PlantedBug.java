package dev.tallystick.engine.code;

import dev.tallystick.workflow.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * A mistake that an engine might have, made in the text of a statement on its way to the database: the product needs no hooks for
 * it, and everything else runs as it does.
 */
public enum PlantedBug {
    /** A step that committed is done again when its transition comes again. */
    A_GUARD_DROPPED("r.spawns and (r.old / 1000000000) % 10 = 0 as does_spawn", "r.spawns as does_spawn"),
    /** The next holder of a lease has the fence of the one before. */
    THE_FENCE_DROPPED("fence = p.fence + 1, owner", "fence = p.fence, owner"),
    /** A transition has another GUID each time it comes. */
    A_RANDOM_GUID(
            "select i.*, g.ordinal as given,",
            "select i.job_id, gen_random_uuid() as guid, i.path, i.name, i.fence, i.delta, i.outcome, i.output, i.error,"
                    + " i.enters, i.works, i.spawns, i.completes, i.acknowledges, i.n, g.ordinal as given,"),
    /** Nothing is done any more for a job that has closed. */
    JOB_STATE_CHECKED_BEFORE_THE_GUID_LEDGER(
            "where r.most < 100000000",
            "where exists (select 1 from tally.job j where j.id = r.job_id and j.closed_by is null)"),
    /** The semaphore moves, the marker that says so does not. */
    A_MARKER_UNBUNDLED("+ case when does_spawn then 1000000000 else 0 end", ""),
    /** One row, changed twice by one statement, keeps one of the changes. */
    TWO_GUIDS_OF_ONE_JOB_APPLIED_ONCE("sum(m.delta) as delta", "max(m.delta) as delta"),
    /** A replay continues in the dimension of its replay. */
    THE_DIMENSION_FROM_THE_ACTIVITY_COUNTER(
            "select r.guid, r.ordinal, r.ledger", "select r.guid, m.entries - 1 as ordinal, r.ledger"),
    /** The result commits, the acknowledgement is left for later. */
    RESULT_AND_ACKNOWLEDGEMENT_IN_TWO_TRANSACTIONS("and m.acknowledges", "and false"),
    /** Whether the job is still open is not checked. */
    SHORT_WAY_A_GUARD_DROPPED("and j.closed_by is null", ""),
    /** A former holder of the lease may still commit. */
    SHORT_WAY_THE_FENCE_DROPPED("and p.fence = i.fence", ""),
    /** A step that came the short way is not found when it comes again. */
    SHORT_WAY_A_RANDOM_GUID(
            "select job_id, guid, path, name, 0, fence,", "select job_id, gen_random_uuid(), path, name, 0, fence,"),
    /** The activity says that children were spawned, the GUID does not. */
    SHORT_WAY_A_MARKER_UNBUNDLED("10000000000 + 1000000000 + 1\n", "10000000000 + 1\n"),
    /** Of what one move brings only one thing is recorded. */
    SHORT_WAY_TWO_GUIDS_OF_ONE_JOB_APPLIED_ONCE(
            "select job_id, guid, path, name, 0, fence,",
            "select distinct on (job_id) job_id, guid, path, name, 0, fence,"),
    /** The job is closed, and what it was posted for is left for later. */
    SHORT_WAY_RESULT_AND_ACKNOWLEDGEMENT_IN_TWO_TRANSACTIONS(
            "using closed c\n    where p.job_id", "using closed c\n    where false and p.job_id"),
    /** What a losing branch has open stays open. */
    A_LOSING_BRANCH_NOT_ENDED("starts_with(a.path, b.path || '.')", "false"),
    /** A task can be seen and answered with its id alone. */
    A_MESH_LEFT_OUT_OF_A_WHERE("where t.id = ? and t.mesh = ?", "where t.id = ? and ?::text is not null"),
    /** A step may commit what it likes. */
    A_COMMIT_INSIDE_A_TRANSACTION_STEP_UNNOTICED(
            "pg_current_xact_id()::text = ? as open", "?::text is not null as open"),
    /** In a graph, a node sees what the last round has brought, and not its own. */
    ROUNDS_SEE_THE_LAST_ONE("where g.output is not null", "where false"),
    /** In a graph, work that a cycle goes back to gets what was dispatched last. */
    ROUNDS_SHARE_AN_INPUT("coalesce(p.input, a.input) as input", "a.input as input"),
    /** In a graph, a join outside a loop does not wait until the loop is left. */
    ROUNDS_UNDER_WAY_KEEP_NO_LOOP_OPEN(
            "select job_id, guid, path, name\nfrom tally.posting\nwhere job_id = ?\nunion all",
            "select job_id, guid, path, name\nfrom tally.posting\nwhere job_id = ? and false\nunion all"),
    /** A step may ask for another one; this mistake is made in the scope itself. */
    A_NESTED_STEP_ACCEPTED("", "") {
        @Override
        public void misled(Context ctx) {
            plant();
            ((ReplayContext) ctx).order().free();
        }
    };

    private final String right;
    private final String wrong;
    private final AtomicBoolean planted = new AtomicBoolean();

    PlantedBug(String right, String wrong) {
        this.right = right;
        this.wrong = wrong;
    }

    /** Called inside a step of a drill. */
    public void misled(Context ctx) {}

    void plant() {
        planted.set(true);
    }

    /** Whether some statement came by in which the mistake could be made. */
    public boolean isPlanted() {
        return planted.get();
    }

    /** The same database, for an engine with this mistake. */
    public DataSource in(DataSource healthy) {
        return proxy(
                DataSource.class,
                healthy,
                (method, result) ->
                        method.getName().equals("getConnection") ? connection((Connection) result) : result);
    }

    private Connection connection(Connection healthy) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        arguments[0] = spoil((String) arguments[0]);
                    }
                    return call(healthy, method, arguments);
                });
    }

    private String spoil(String statement) {
        if (!right.isEmpty() && statement.contains(right)) {
            plant();
            return statement.replace(right, wrong);
        }
        return statement;
    }

    private interface Answer {
        Object of(Method method, Object result);
    }

    private static <T> T proxy(Class<T> type, T target, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                PlantedBug.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.of(method, call(target, method, arguments))));
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
