package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ActivityLedgerTest {

    @Test
    void a_ledger_is_its_value() {
        assertThat(new ActivityLedger(1).value()).isEqualTo(1);
    }
}
