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
 * Starts jobs in the caller's transactions, in which the caller has already bound their keys. A started job begins to run when
 * {@link #started} is called after the commit, or a little later on its own if that call never comes. Thread-safe.
 */
public final class Intake {

    private final JobMaker maker;
    private final Acceptor acceptor;
    private final Supplier<@Nullable String> owner;
    private final Consumer<NewJob> begin;

    /**
     * A job that the caller accepts.
     *
     * @param id new for every order; reuse it to start the order again after a failed transaction
     * @param version one returned by {@link #version}
     * @param lane the value returned by {@link #lane}
     * @param attributes to find the job by
     * @param traceParent its incoming trace context (W3C); null for none
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
     * @param owner the owner that leases a job starting here at once; null if none can
     * @param begin called when a job has been started
     */
    Intake(JobMaker maker, Acceptor acceptor, Supplier<@Nullable String> owner, Consumer<NewJob> begin) {
        this.maker = maker;
        this.acceptor = acceptor;
        this.owner = owner;
        this.begin = begin;
    }

    /**
     * The version that a new job would run.
     *
     * @param wanted a specific version, or null for the newest
     * @throws UnknownWorkflowException if the workflow, or that version of it, is not known here
     */
    public int version(String workflow, @Nullable Integer wanted) {
        return maker.version(workflow, wanted).version();
    }

    /**
     * The lane of a job whose workflow has a limit; null without a limit. This calls the limit's key function, which is user
     * code: do not call it inside a transaction or on a shared thread.
     *
     * @throws IllegalArgumentException if the limit has no key for this input
     */
    public @Nullable String lane(String workflow, int version, byte[] input) {
        return maker.lane(workflow, version, input);
    }

    /**
     * A workflow version that can be submitted here.
     *
     * @param graph null for code
     */
    public record Known(
            String workflow, int version, @Nullable Graph graph) {}

    /** All known versions, by name and version. */
    public List<Known> known() {
        return maker.known();
    }

    /** Writes the jobs. Leaves jobs that already exist unchanged. */
    public void start(Tx tx, List<Order> orders) throws SQLException {
        acceptor.start(
                tx,
                orders.stream()
                        .map(order -> new Acceptor.Item(job(order), null, order.attributes()))
                        .toList());
    }

    /** Call after the order's transaction has committed. Fast and optional. */
    public void started(Order order) {
        begin.accept(job(order));
    }

    private NewJob job(Order order) {
        return maker.ordered(order, owner.get());
    }
}
