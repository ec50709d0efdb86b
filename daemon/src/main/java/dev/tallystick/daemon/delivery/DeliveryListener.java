package dev.tallystick.daemon.delivery;

import dev.tallystick.daemon.outbox.OutboxRow;

/** Learns what became of rows, after it is on disk. Must return quickly. */
public interface DeliveryListener {

    DeliveryListener NONE = new DeliveryListener() {

        @Override
        public void dead(OutboxRow row, String error) {}

        @Override
        public void changed(DeliveryState state) {}
    };

    /** The row will never be sent again. */
    void dead(OutboxRow row, String error);

    /** Delivery began, stopped or was paused. */
    void changed(DeliveryState state);
}
