package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.server.ServerSchema;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.NotDurableException;
import dev.tallystick.sql.SchemaException;
import dev.tallystick.sql.SchemaName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The tables in Postgres, for operators who do not let the server create them. */
@Command(
        name = "schema",
        description = {
            "Print, create, upgrade or check the Postgres tables of a server or library.",
            "A server does this at startup if its role may create tables. If the tables are up to date,",
            "a role that may select, insert, update and delete is enough."
        },
        subcommands = {SchemaCommand.Print.class, SchemaCommand.Migrate.class, SchemaCommand.Check.class},
        footer = {
            "  tally schema print --schema jobs",
            "  tally schema print --postgres 'jdbc:postgresql://db/tally?user=tally'   # only what this database lacks",
            "  tally schema migrate --postgres 'jdbc:postgresql://db/tally?user=owner'",
            "  tally schema check --postgres 'jdbc:postgresql://db/tally?user=tally'",
        })
final class SchemaCommand extends CommandGroup {

    /** A schema, and optionally its database. */
    abstract static class OfOne extends TallyCommand {

        @Option(
                names = "--schema",
                paramLabel = "NAME",
                description = "The schema that holds the tables (default: TALLY_SCHEMA, or tally).")
        private @Nullable String schema;

        final SchemaName schema() {
            String named = schema == null ? environment().get(ServerSettings.SCHEMA) : schema;
            try {
                return named == null ? SchemaName.DEFAULT : new SchemaName(named);
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), "Choose another name.");
            }
        }

        abstract ExitCode runOrRefuse();

        @Override
        public final ExitCode run() {
            try {
                return runOrRefuse();
            } catch (SchemaException e) {
                throw new CommandFailed(
                        ExitCode.CONFLICT, String.valueOf(e.getMessage()), "This step changed nothing.");
            } catch (NotDurableException e) {
                throw new CommandFailed(
                        ExitCode.USAGE, String.valueOf(e.getMessage()), "Turn these settings on in this Postgres.");
            } catch (DefiniteFailureException e) {
                throw new CommandFailed(
                        ExitCode.CONFLICT,
                        String.valueOf(e.getMessage()),
                        "Is it running, and are host, port, database, user and password in --postgres right?");
            }
        }

        final Database open(String url) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            try {
                source.setUrl(url);
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(
                        ExitCode.USAGE,
                        "--postgres is not a Postgres JDBC URL",
                        "Pass jdbc:postgresql://HOST/DATABASE?user=NAME&password=SECRET.");
            }
            return Database.on(source).in(schema());
        }

        final ExitCode answer(String text, String field, List<String> steps) {
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put("schema", Json.of(schema().value()));
            fields.put(
                    field,
                    new Json.ArrayValue(steps.stream().<Json>map(Json::of).toList()));
            return answer(text, fields);
        }
    }

    @Command(name = "print", description = "Print the SQL that creates the tables, to run it by hand.")
    static final class Print extends OfOne {

        @Option(
                names = "--postgres",
                paramLabel = "JDBC-URL",
                description = "Print only what this database lacks (default: everything).")
        private @Nullable String postgres;

        @Override
        ExitCode runOrRefuse() {
            return print(
                    (postgres == null ? ServerSchema.ALL.script(schema()) : ServerSchema.ALL.script(open(postgres)))
                            .stripTrailing());
        }
    }

    @Command(name = "migrate", description = "Create or upgrade the tables; the role must be allowed to.")
    static final class Migrate extends OfOne {

        @Option(names = "--postgres", paramLabel = "JDBC-URL", required = true, description = "The database.")
        private String postgres;

        @Override
        ExitCode runOrRefuse() {
            List<String> applied = ServerSchema.ALL.migrate(open(postgres));
            return answer(
                    applied.isEmpty()
                            ? "the schema is up to date"
                            : "applied " + applied.size() + ":\n" + String.join("\n", applied),
                    "applied",
                    applied);
        }
    }

    @Command(name = "check", description = "Check whether the tables are up to date; exit code 4 if not.")
    static final class Check extends OfOne {

        @Option(names = "--postgres", paramLabel = "JDBC-URL", required = true, description = "The database.")
        private String postgres;

        @Override
        ExitCode runOrRefuse() {
            List<String> missing = ServerSchema.ALL.missing(open(postgres));
            answer(
                    missing.isEmpty()
                            ? "the schema is up to date"
                            : "missing " + missing.size() + ", run 'tally schema migrate':\n"
                                    + String.join("\n", missing),
                    "missing",
                    missing);
            return missing.isEmpty() ? ExitCode.OK : ExitCode.CONFLICT;
        }
    }
}
