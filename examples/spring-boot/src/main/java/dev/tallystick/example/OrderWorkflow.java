package dev.tallystick.example;

import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.Workflow;

/** Reserves what was ordered and says when it comes. */
public final class OrderWorkflow implements Workflow<Order, String> {

    @Override
    public String run(Context ctx, Order order) {
        String shelf = ctx.step("reserve", String.class, () -> "shelf " + order.amount());
        return order.item() + " from " + shelf + " on " + order.deliverOn();
    }
}
