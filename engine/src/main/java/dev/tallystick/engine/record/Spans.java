package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.LeasedWork;
import dev.tallystick.engine.model.Tracing;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The spans of jobs: one for each run of a body, each attempt at a step, and each piece of work handed out. A body that parks,
 * or moves to another process, has several runs; all of them are children of the span that submitted the job. While tracing is
 * off, everything passes through unchanged.
 */
public final class Spans {

    private final GroupCommitter committer;
    private final Tracing tracing;
    private final TraceReader reader = new TraceReader();

    public Spans(GroupCommitter committer, Tracing tracing) {
        this.committer = committer;
        this.tracing = tracing;
    }

    /** The parent for spans that the current span starts; null if there is none. */
    @Nullable
    public String current() {
        return tracing.current();
    }

    /** Runs a body, or a part of one, from where it stopped. */
    public void run(LeasedJob body, Runnable part) {
        if (!tracing.isOn()) {
            part.run();
            return;
        }
        Span span = of(body.lease().job(), body.workflow(), "run " + body.workflow(), SpanKind.CONSUMER)
                .setParent(parent(body.lease().job(), body.traceParent()))
                .setAttribute("tallystick.workflow.version", body.version())
                .setAttribute("tallystick.run", body.lease().fence())
                .startSpan();
        Tracing.<@Nullable Void, RuntimeException>within(span, () -> {
            part.run();
            return null;
        });
    }

    /** The current run has ended its job. */
    public void closed(Closed ending) {
        if (tracing.isOn()) {
            Span span = Span.current();
            span.setAttribute("tallystick.outcome", ending.outcome().text());
            if (ending.outcome() == JobOutcome.FAILED) {
                Tracing.failed(span, "job_failed");
            }
        }
    }

    /** Runs in parallel with its caller, as part of the same span. */
    public Runnable beside(Runnable part) {
        return tracing.isOn() ? Context.current().wrap(part) : part;
    }

    /** An attempt at a step of the body that is currently running. */
    public <T extends @Nullable Object> Callable<T> step(
            String workflow, ActivityId activity, int attempt, Callable<T> work) {
        return tracing.isOn()
                ? () -> Tracing.within(step(workflow, activity, attempt).startSpan(), work::call)
                : work;
    }

    /** An attempt at the work of a node. */
    public <T extends @Nullable Object> Callable<T> node(LeasedWork leased, Callable<T> work) {
        if (!tracing.isOn()) {
            return work;
        }
        SpanBuilder span = step(leased.workflow(), leased.lease().activity(), leased.attempt())
                .setParent(parent(leased.lease().job(), null));
        return () -> Tracing.within(span.startSpan(), work::call);
    }

    /**
     * Records that work is handed to a remote worker, which creates its own spans.
     *
     * @param traceParent of the job, if it has one
     * @return the parent for the worker's spans
     */
    @Nullable
    public String handOut(LeasedWork leased, @Nullable String traceParent) {
        if (!tracing.isOn()) {
            return traceParent;
        }
        ActivityId activity = leased.lease().activity();
        Span span = of(activity.job(), leased.workflow(), "hand out " + activity.name(), SpanKind.PRODUCER)
                .setParent(Tracing.context(traceParent))
                .addLink(Span.current().getSpanContext())
                .setAttribute("tallystick.step", activity.name())
                .setAttribute("tallystick.attempt", leased.attempt())
                .startSpan();
        span.end();
        return Tracing.traceParent(span);
    }

    private SpanBuilder step(String workflow, ActivityId activity, int attempt) {
        return of(activity.job(), workflow, "step " + activity.name(), SpanKind.INTERNAL)
                .setAttribute("tallystick.step", activity.name())
                .setAttribute("tallystick.path", activity.path())
                .setAttribute("tallystick.attempt", attempt);
    }

    private SpanBuilder of(JobId job, String workflow, String name, SpanKind kind) {
        return tracing.span(name, kind)
                .setAttribute("tallystick.job", job.toString())
                .setAttribute("tallystick.workflow", workflow);
    }

    private Context parent(JobId job, @Nullable String known) {
        return Tracing.context(known == null ? kept(job) : known);
    }

    /** A trace must never cost a job: if the database does not answer now, the span has no parent. */
    private @Nullable String kept(JobId job) {
        try {
            return committer.submit(reader, job).join().orElse(null);
        } catch (CompletionException e) {
            return null;
        }
    }
}
