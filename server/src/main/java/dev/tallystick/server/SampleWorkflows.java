package dev.tallystick.server;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.WorkflowType;
import org.jspecify.annotations.Nullable;

/** Workflows to try a server with. They have no outside effects. */
final class SampleWorkflows {

    record Order(String order) {}

    record Confirmation(String order, String reservation, String receipt, String status) {}

    record Approval(String by) {}

    /** Work for any worker of the topic {@code sample.greetings}, in any language. */
    private static final String GREETING = """
            workflow: sample.greeting
            version: 1

            nodes:
              asked:
                kind: trigger
                next: greet

              greet:
                kind: worker
                topic: sample.greetings
                input: input

            output: greet
            """;

    static void register(Engine engine) {
        engine.register(WorkflowType.of("sample.order", Order.class, Confirmation.class, SampleWorkflows::order));
        engine.register(WorkflowType.of("sample.approval", Order.class, Confirmation.class, SampleWorkflows::approval));
        engine.register(WorkflowType.of("sample.review", Order.class, Confirmation.class, SampleWorkflows::review));
        engine.register(GraphYaml.read("sample.greeting.yaml", GREETING));
    }

    /** Three steps, one after the other. */
    private static Confirmation order(Context ctx, @Nullable Order wanted) {
        Order order = checked(wanted);
        String reservation = ctx.step("reserve", String.class, () -> "reserved " + order.order());
        String receipt = ctx.step("charge", String.class, () -> "charged " + order.order());
        return ctx.step(
                "confirm",
                Confirmation.class,
                () -> new Confirmation(order.order(), reservation, receipt, "confirmed"));
    }

    /** Asks the group {@code reviewers}, however long they take. */
    private static Confirmation review(Context ctx, @Nullable Order wanted) {
        Order order = checked(wanted);
        String reservation = ctx.step("reserve", String.class, () -> "reserved " + order.order());
        Approval approval =
                ctx.task("approve", Approval.class, Ask.group("reviewers").about(order));
        return new Confirmation(order.order(), reservation, "approved by " + approval.by(), "confirmed");
    }

    /** Waits for the signal {@code approved}, however long that takes. */
    private static Confirmation approval(Context ctx, @Nullable Order wanted) {
        Order order = checked(wanted);
        String reservation = ctx.step("reserve", String.class, () -> "reserved " + order.order());
        Approval approval = ctx.await("approved", Approval.class);
        return new Confirmation(order.order(), reservation, "approved by " + approval.by(), "confirmed");
    }

    private static Order checked(@Nullable Order order) {
        if (order == null || order.order() == null) {
            throw new IllegalArgumentException("the input of a sample is {\"order\": \"42\"}");
        }
        return order;
    }

    private SampleWorkflows() {}
}
