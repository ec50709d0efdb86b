package dev.tallystick.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.JobHandle;
import dev.tallystick.Submit;
import dev.tallystick.Tallystick;
import dev.tallystick.postgres.EmbeddedPostgres;
import java.time.Duration;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The library beside the versions that Spring Boot chooses for an application. */
class OrdersApplicationTest {

    @Test
    void a_spring_boot_application_runs_a_job_and_answers_its_repeat() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary().start();
                ConfigurableApplicationContext application = new SpringApplicationBuilder(OrdersApplication.class)
                        .properties(
                                "spring.datasource.url=" + postgres.jdbcUrl(),
                                "spring.datasource.username=" + postgres.user(),
                                "spring.datasource.password=" + postgres.password())
                        .run()) {
            Tallystick tally = application.getBean(Tallystick.class);
            Order order = new Order("apples", 3, LocalDate.of(2030, 1, 2));

            JobHandle<String> job = tally.submit("order", order, Submit.key("web-1:42:9f3a6c0b1d2e4f58"));
            JobHandle<String> repeat = tally.submit("order", order, Submit.key("web-1:42:9f3a6c0b1d2e4f58"));

            assertThat(job.result(Duration.ofSeconds(30))).isEqualTo("apples from shelf 3 on 2030-01-02");
            assertThat(repeat.id()).isEqualTo(job.id());
        }
    }
}
