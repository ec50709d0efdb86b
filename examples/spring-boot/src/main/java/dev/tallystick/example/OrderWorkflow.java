package dev.tallystick.example;

import dev.tallystick.engine.Context;
import dev.tallystick.engine.Workflow;

/** Reserves what was ordered and says when it comes. */
public final class OrderWorkflow implements Workflow<Order, String> {

    @Override
    public String run(Context ctx, Order order) {
        String shelf = ctx.step("reserve", String.class, () -> "shelf " + order.amount());
        return order.item() + " from " + shelf + " on " + order.deliverOn();
    }
}
