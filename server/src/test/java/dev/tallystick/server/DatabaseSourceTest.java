package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Opened;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class DatabaseSourceTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    @TempDir
    Path data;

    private final Opened opened = new Opened();

    @AfterEach
    void close() {
        opened.close();
    }

    @Test
    void a_database_that_falls_silent_is_given_up_in_the_end() throws Exception {
        assertThat(silence(postgres.url())).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void how_long_a_database_may_be_silent_is_for_its_address_to_say() throws Exception {
        assertThat(silence(postgres.url() + "&socketTimeout=7")).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void who_waits_for_a_database_that_is_away_is_told_so_before_it_gives_up_itself() throws Exception {
        HikariDataSource source = DatabaseSource.open(ServerUnderTest.settings(postgres.url(), data), opened)
                .unwrap(HikariDataSource.class);

        assertThat(Duration.ofMillis(source.getConnectionTimeout())).isLessThan(TallyClient.PATIENCE.dividedBy(3));
    }

    @Test
    void a_database_that_does_not_let_us_in_is_named_with_the_reason_and_without_the_password() {
        String wrong = postgres.url().replaceFirst("password=[^&]+", "password=geheim");

        assertThatThrownBy(() -> DatabaseSource.open(ServerUnderTest.settings(wrong, data), opened))
                .isInstanceOf(NoDatabaseException.class)
                .hasMessageContaining("password authentication failed")
                .message()
                .doesNotContain("geheim");
    }

    private Duration silence(String url) throws Exception {
        try (Connection connection =
                DatabaseSource.open(ServerUnderTest.settings(url, data), opened).getConnection()) {
            return Duration.ofMillis(connection.getNetworkTimeout());
        }
    }
}
