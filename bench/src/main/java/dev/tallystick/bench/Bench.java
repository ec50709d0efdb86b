package dev.tallystick.bench;

import dev.tallystick.postgres.EmbeddedPostgres;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs one suite and prints its figures. */
@Command(
        name = "bench/run",
        mixinStandardHelpOptions = true,
        description = "Runs one suite: a warm-up, then three interleaved rounds; prints medians, spread and ratios.",
        footer = {
            "",
            "Examples:",
            "  bench/run sql",
            "  bench/run engine --seconds 10 --json",
            "  bench/run engine --rows 'tally.*'"
        })
final class Bench implements Callable<Integer> {

    private static final Map<String, Supplier<Suite>> SUITES = Map.of(
            "sql", SqlSuite::new,
            "engine", EngineSuite::new,
            "exchange", ExchangeSuite::new,
            "front-door", FrontDoorSuite::new,
            "daemon", DaemonSuite::new,
            "ledger", LedgerSuite::new,
            "seal", SealSuite::new);

    @Parameters(
            index = "0",
            paramLabel = "SUITE",
            description = "what to measure: sql, engine, exchange, front-door, daemon, ledger, seal")
    private String suite = "";

    @Option(names = "--seconds", paramLabel = "N", description = "length of one round (default: ${DEFAULT-VALUE})")
    private int seconds = 5;

    @Option(
            names = "--rows",
            paramLabel = "PATTERN",
            description = "measure only rows whose whole name matches this regular expression")
    private Pattern rows = Pattern.compile(".*");

    @Option(names = "--json", description = "one JSON object a line instead of a table")
    private boolean json;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Bench()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Supplier<Suite> chosen = SUITES.get(suite);
        if (chosen == null || seconds < 1) {
            System.err.println(
                    chosen == null
                            ? "no suite '" + suite + "'; there is: " + String.join(", ", SUITES.keySet())
                            : "--seconds must be at least 1");
            return CommandLine.ExitCode.USAGE;
        }
        PrintStream progress = System.err;
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary().start();
                Suite measured = chosen.get()) {
            DataSource database = unpooled(postgres);
            List<Contender> contenders = new ArrayList<>(new Floor().contenders(database));
            contenders.addAll(measured.contenders(database));
            contenders.removeIf(contender -> !rows.matcher(contender.name()).matches());
            Rounds rounds = new Rounds(Duration.ofSeconds(seconds), progress::println);
            Report report = new Report(rounds.run(contenders));
            if (json) {
                report.printJson(System.out);
            } else {
                report.printTable(System.out);
            }
            PeerCheck.doubts(report::perSecond).forEach(progress::println);
        }
        return CommandLine.ExitCode.OK;
    }

    /**
     * Every connection is a new session, so that a round's sessions end with it and its counters are complete. Batches of inserts go
     * as one, which some peers live by.
     */
    private static DataSource unpooled(EmbeddedPostgres postgres) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(postgres.jdbcUrl());
        source.setUser(postgres.user());
        source.setPassword(postgres.password());
        source.setReWriteBatchedInserts(true);
        return source;
    }
}
