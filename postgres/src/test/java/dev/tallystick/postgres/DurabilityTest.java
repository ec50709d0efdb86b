package dev.tallystick.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that could lose acknowledged data is never available. */
@Timeout(120)
class DurabilityTest {

    @ParameterizedTest
    @CsvSource({"fsync, off", "full_page_writes, false", "synchronous_commit, off", "fsync, OFF"})
    void a_setting_that_is_not_durable_is_refused_before_anything_starts(String name, String value) {
        assertThatThrownBy(() -> EmbeddedPostgres.temporary().setting(name, value))
                .isInstanceOf(NotDurableException.class)
                .hasMessageContaining(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alter system set fsync = off",
                "alter system set full_page_writes = off",
                "alter role tally set synchronous_commit = off"
            })
    void a_cluster_that_is_not_durable_is_refused_and_its_server_stopped(String statement)
            throws SQLException, IOException {
        try (Sandbox sandbox = new Sandbox()) {
            try (EmbeddedPostgres postgres =
                    EmbeddedPostgres.at(sandbox.usedDirectory()).start()) {
                Sql.run(postgres.dataSource(1), statement);
            }

            assertThatThrownBy(EmbeddedPostgres.at(sandbox.directory())::start).isInstanceOf(NotDurableException.class);

            assertThat(Server.anyIn(sandbox.layout().data())).isFalse();
        }
    }

    @Test
    void values_beyond_on_are_durable() {
        assertThat(Settings.defaults()
                        .with("synchronous_commit", "remote_apply")
                        .values())
                .containsEntry("synchronous_commit", "remote_apply");
    }
}
