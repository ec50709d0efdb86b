package dev.tallystick.exchange;

import dev.tallystick.sql.Migrations;

/** The tables of this module. Run its migrations before anything else. */
public final class ExchangeSchema {

    public static Migrations migrations() {
        return Migrations.of(
                "exchange",
                ExchangeSchema.class,
                "0001-exchange.sql",
                "0002-origins.sql",
                "0003-results-by-field.sql",
                "0004-books-by-day.sql",
                "0085-documents-to-seal.sql");
    }

    private ExchangeSchema() {}
}
