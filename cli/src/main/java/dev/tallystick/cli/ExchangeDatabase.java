package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.SchemaName;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine.Option;

/** The options that name a participant's database. */
final class ExchangeDatabase {

    @Option(
            names = "--postgres",
            paramLabel = "JDBC-URL",
            description = "The participant's database, instead of its server.")
    private @Nullable String postgres;

    @Option(names = "--as", paramLabel = "NAME", description = "With --postgres: the participant.")
    private @Nullable String as;

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            description = "With --postgres: the schema that holds the tables (default: TALLY_SCHEMA, or tally).")
    private @Nullable String schema;

    boolean isGiven() {
        return postgres != null;
    }

    ExitCode use(Map<String, String> environment, BiFunction<Database, Participant, ExitCode> work) {
        if (postgres == null || as == null) {
            throw new CommandFailed(
                    ExitCode.USAGE, "the database or the participant is missing", "Pass --postgres and --as.");
        }
        try {
            return work.apply(open(environment, postgres), new Participant(as));
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), "Correct the arguments.");
        } catch (DefiniteFailureException e) {
            throw new CommandFailed(
                    ExitCode.CONFLICT,
                    String.valueOf(e.getMessage()),
                    "Is --postgres right, and were the tables created with the exchange's first start?");
        }
    }

    /** Another database, with its tables in a schema of the same name. */
    Database open(Map<String, String> environment, String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        String named = schema == null ? environment.get(ServerSettings.SCHEMA) : schema;
        return Database.on(source).in(named == null ? SchemaName.DEFAULT : new SchemaName(named));
    }
}
