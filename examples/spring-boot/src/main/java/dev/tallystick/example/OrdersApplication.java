package dev.tallystick.example;

import dev.tallystick.Tallystick;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Runs jobs on the data source of {@code spring.datasource.url}. */
@SpringBootApplication
public class OrdersApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(OrdersApplication.class, arguments);
    }

    /** Spring closes it before the data source. */
    @Bean
    Tallystick tallystick(DataSource dataSource) {
        Tallystick tally = Tallystick.builder().dataSource(dataSource).build();
        tally.register("order", OrderWorkflow.class);
        tally.start();
        return tally;
    }
}
