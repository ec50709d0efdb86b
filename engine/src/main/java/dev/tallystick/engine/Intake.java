package dev.tallystick.engine;

import dev.tallystick.core.Priority;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts jobs in transactions of somebody else, who has bound their keys in them already. A job that was started begins to run
 * when {@link #started} is called after the commit, or by itself a little later if that call never comes. Thread-safe.
 */
public final class Intake {

    private final JobMaker maker;
    private final Acceptor acceptor;
    private final Supplier<@Nullable String> owner;
    private final Consumer<NewJob> begin;

    /**
     * A job that somebody else accepts.
     *
     * @param id new for every order, and kept when the order is started again after a transaction that failed
     * @param version one that {@link #version} has named
     * @param lane what {@link #lane} has said
     * @param attributes what it can be found by
     * @param traceParent the trace context (W3C) that it came with; null for none
     */
    public record Order(
            JobId id,
            String mesh,
            String workflow,
            int version,
            Priority priority,
            byte[] input,
            Duration delay,
            @Nullable String lane,
            List<Attribute> attributes,
            @Nullable String traceParent) {}

    /**
     * Belongs to an engine.
     *
     * @param owner who leases a job that begins here at once; null if none can
     * @param begin called when a job has been started
     */
    Intake(JobMaker maker, Acceptor acceptor, Supplier<@Nullable String> owner, Consumer<NewJob> begin) {
        this.maker = maker;
        this.acceptor = acceptor;
        this.owner = owner;
        this.begin = begin;
    }

    /**
     * The version that a job would have.
     *
     * @param wanted a certain one, or null for the newest
     * @throws UnknownWorkflowException if there is no such workflow here, or not in that version
     */
    public int version(String workflow, @Nullable Integer wanted) {
        return maker.version(workflow, wanted).version();
    }

    /**
     * The lane of a job whose workflow has a limit; null without one. The limit's key is the user's code: not to be called inside
     * of a transaction, nor on a thread that others depend on.
     *
     * @throws IllegalArgumentException if the limit has no key for this input
     */
    public @Nullable String lane(String workflow, int version, byte[] input) {
        return maker.lane(workflow, version, input);
    }

    /**
     * A version of a workflow that jobs can be made of here.
     *
     * @param graph null if it is code
     */
    public record Known(
            String workflow, int version, @Nullable Graph graph) {}

    /** All of them, by name and version. */
    public List<Known> known() {
        return maker.known();
    }

    /** Writes the jobs. A job that is there already is left as it is. */
    public void start(Tx tx, List<Order> orders) throws SQLException {
        acceptor.start(
                tx,
                orders.stream()
                        .map(order -> new Acceptor.Item(job(order), null, order.attributes()))
                        .toList());
    }

    /** The order's transaction has committed. Short, and may be left out. */
    public void started(Order order) {
        begin.accept(job(order));
    }

    private NewJob job(Order order) {
        return maker.ordered(order, owner.get());
    }
}
