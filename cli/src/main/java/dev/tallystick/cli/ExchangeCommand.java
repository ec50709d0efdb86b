package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.exchange.ExchangeSchema;
import dev.tallystick.exchange.books.Bundle;
import dev.tallystick.exchange.books.DatabaseBooks;
import dev.tallystick.exchange.books.Evidence;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueRow;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Reconciliation;
import dev.tallystick.exchange.books.Records;
import dev.tallystick.exchange.books.View;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.PublicKey;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.SchemaName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A participant's postings, issues and evidence, read from its database. */
@Command(
        name = "exchange",
        description = {
            "Look after the postings that a participant exchanges with its partners.",
            "Works on its database."
        },
        subcommands = {
            ExchangeCommand.Ls.class,
            ExchangeCommand.Show.class,
            ExchangeCommand.Replay.class,
            ExchangeCommand.IssuesOf.class,
            ExchangeCommand.Reconcile.class,
            ExchangeCommand.Export.class,
            ExchangeCommand.Verify.class,
            ExchangeCommand.Trust.class,
            ExchangeCommand.Key.class
        },
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally exchange ls --as acme --postgres 'jdbc:postgresql://db/acme?user=tally'",
            "  tally exchange issues --as acme --postgres 'jdbc:postgresql://db/acme?user=tally' --json",
            "  tally exchange verify invoice-7.json --n-key acme.pub --p-key globex.pub",
        })
final class ExchangeCommand extends TallyCommand {

    @Override
    public ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "missing subcommand", "Try 'tally exchange --help'.");
    }

    /** A command on the database of a participant. */
    abstract static class OfParticipant extends ExchangeAnswers {

        @Option(
                names = "--as",
                paramLabel = "NAME",
                required = true,
                description = "The participant whose database it is.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String as;

        @Option(names = "--postgres", paramLabel = "JDBC-URL", required = true, description = "The database.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String postgres;

        @Option(
                names = "--schema",
                paramLabel = "NAME",
                description = "The schema that holds the tables (default: TALLY_SCHEMA, or tally).")
        private @Nullable String schema;

        abstract ExitCode run(Database database, Participant self);

        @Override
        public final ExitCode run() {
            try {
                return run(open(postgres), new Participant(as));
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), "Correct the arguments.");
            } catch (DefiniteFailureException e) {
                throw new CommandFailed(
                        ExitCode.CONFLICT,
                        String.valueOf(e.getMessage()),
                        "Is --postgres right, and were the tables created with the exchange's first start?");
            }
        }

        final Database open(String url) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            String named = schema == null ? environment().get(ServerSettings.SCHEMA) : schema;
            return Database.on(source).in(named == null ? SchemaName.DEFAULT : new SchemaName(named));
        }
    }

    @Command(name = "ls", description = "List postings, the newest first.", sortOptions = false)
    static final class Ls extends OfParticipant {

        @Option(names = "--all", description = "Also those that are settled.")
        private boolean all;

        @Option(names = "--limit", paramLabel = "N", description = "At most so many of each side (default: 50).")
        private int limit = 50;

        @Override
        ExitCode run(Database database, Participant self) {
            List<View> views = new Records(database, self).list(all, limit);
            answerAll("postings", views, ExchangeCommand::line, ExchangeCommand::json);
            return ExitCode.OK;
        }
    }

    @Command(
            name = "show",
            description = "Show a posting with its audit trail.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = "  tally exchange show invoice-7 --as acme --postgres 'jdbc:postgresql://db/acme?user=tally'")
    static final class Show extends OfParticipant {

        @Parameters(paramLabel = "ID", description = "The posting's id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String id;

        @Override
        ExitCode run(Database database, Participant self) {
            List<View> views = new Records(database, self).show(new MessageId(id));
            if (views.isEmpty()) {
                throw new CommandFailed(
                        ExitCode.NOT_FOUND, "there is no posting " + id, "Try 'tally exchange ls --all'.");
            }
            answerAll(
                    "postings",
                    views,
                    view -> line(view) + "\n  " + String.join("\n  ", view.audit()),
                    ExchangeCommand::json);
            return ExitCode.OK;
        }
    }

    @Command(
            name = "replay",
            description = "Let an instance publish an open posting, or an unacknowledged result, again.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = "  tally exchange replay invoice-7 --as acme --postgres 'jdbc:postgresql://db/acme?user=tally'")
    static final class Replay extends OfParticipant {

        @Parameters(paramLabel = "ID", description = "The posting's id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String id;

        @Override
        ExitCode run(Database database, Participant self) {
            if (!new Records(database, self).replay(new MessageId(id), "operator")) {
                throw new CommandFailed(
                        ExitCode.CONFLICT, id + " is not open", "See 'tally exchange show " + id + "'.");
            }
            answer("published again soon");
            return ExitCode.OK;
        }
    }

    @Command(name = "issues", description = "List consistency issues, the newest first.", sortOptions = false)
    static final class IssuesOf extends OfParticipant {

        @Option(names = "--all", description = "Also those that are resolved.")
        private boolean all;

        @Override
        ExitCode run(Database database, Participant self) {
            List<IssueRow> issues = new Issues(database, self).list(all, 1_000);
            answerAll(
                    "issues",
                    issues,
                    issue -> "%s %s %s → %s %s (%d×): %s"
                            .formatted(
                                    issue.raisedAt(),
                                    issue.kind(),
                                    issue.producer(),
                                    issue.consumer(),
                                    issue.id(),
                                    issue.times(),
                                    issue.detail()),
                    issue -> new ExchangeAnswers.Fields()
                            .with("kind", issue.kind().name())
                            .with("n", issue.producer())
                            .with("p", issue.consumer())
                            .with("id", issue.id())
                            .with("detail", issue.detail())
                            .with("times", issue.times())
                            .with("raised_at", issue.raisedAt().toString())
                            .json());
            return issues.isEmpty() ? ExitCode.OK : ExitCode.CONFLICT;
        }
    }

    @Command(
            name = "reconcile",
            description = {
                "Compare the books of a producer and a consumer, and record every difference as an issue.",
                "Descends only where hashes differ."
            },
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer =
                    "  tally exchange reconcile --as acme --with globex --postgres 'jdbc:postgresql://db/acme?user=tally' --partner-postgres 'jdbc:postgresql://copy/globex?user=tally'")
    static final class Reconcile extends OfParticipant {

        @Option(names = "--with", paramLabel = "NAME", required = true, description = "The partner.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String with;

        @Option(
                names = "--partner-postgres",
                paramLabel = "JDBC-URL",
                required = true,
                description = "The partner's database, or a copy of it.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String partner;

        @Override
        ExitCode run(Database database, Participant self) {
            Participant other = new Participant(with);
            Database partners = open(partner);
            Reconciliation posted = Reconciliation.between(
                    DatabaseBooks.ofProducer(database, self, other), DatabaseBooks.ofConsumer(partners, self, other));
            Reconciliation received = Reconciliation.between(
                    DatabaseBooks.ofConsumer(database, other, self), DatabaseBooks.ofProducer(partners, other, self));
            Issues issues = new Issues(database, self);
            issues.raise(posted.differences().stream()
                    .map(difference -> issue(difference, self, other))
                    .toList());
            issues.raise(received.differences().stream()
                    .map(difference -> issue(difference, other, self))
                    .toList());
            List<Reconciliation.Difference> all = Stream.concat(
                            posted.differences().stream(), received.differences().stream())
                    .toList();
            if (all.isEmpty()) {
                answer("the books agree");
                return ExitCode.OK;
            }
            answerAll(
                    "differences",
                    all,
                    each -> "%s %s %s: here %s, there %s"
                            .formatted(each.period(), each.kind(), each.id(), each.ours(), each.theirs()),
                    each -> new ExchangeAnswers.Fields()
                            .with("kind", each.kind().name())
                            .with("id", each.id())
                            .with("period", each.period().toString())
                            .with("here", each.ours())
                            .with("there", each.theirs())
                            .json());
            return ExitCode.CONFLICT;
        }

        private static Issue issue(Reconciliation.Difference difference, Participant producer, Participant consumer) {
            return Issue.found(
                    difference.kind(),
                    producer,
                    consumer,
                    new MessageId(difference.id()),
                    "here " + difference.ours() + ", there " + difference.theirs());
        }
    }

    @Command(
            name = "export",
            description = "Print the evidence for a posting as a bundle.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = "  tally exchange export invoice-7 --as acme --postgres 'jdbc:postgresql://db/acme?user=tally'")
    static final class Export extends OfParticipant {

        @Parameters(paramLabel = "ID", description = "The posting's id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String id;

        @Option(names = "--from", paramLabel = "NAME", description = "Its producer, if it was posted to us.")
        private @Nullable String from;

        @Override
        ExitCode run(Database database, Participant self) {
            Records records = new Records(database, self);
            Partners partners = new Partners(database);
            MessageId wanted = new MessageId(id);
            Optional<Bundle> bundle = from == null
                    ? records.posted(wanted, partners)
                    : records.received(new Participant(from), wanted, partners);
            print(bundle.orElseThrow(() -> new CommandFailed(
                            ExitCode.NOT_FOUND,
                            "there is no such posting",
                            "If a partner posted it, name the partner with --from."))
                    .toJson());
            return ExitCode.OK;
        }
    }

    @Command(
            name = "verify",
            description = "Check a bundle, with nothing but a public key of each participant.",
            sortOptions = false)
    static final class Verify extends ExchangeAnswers {

        @Parameters(paramLabel = "FILE", description = "The bundle.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private Path file;

        @Option(names = "--n-key", paramLabel = "FILE", required = true, description = "A public key of the producer.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private Path producerKey;

        @Option(names = "--p-key", paramLabel = "FILE", required = true, description = "A public key of the consumer.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private Path consumerKey;

        @Override
        public ExitCode run() {
            try {
                Evidence evidence = Bundle.parse(read(file))
                        .verify(PublicKey.parse(read(producerKey)), PublicKey.parse(read(consumerKey)));
                String proven = evidence.proven().stream()
                        .map(proof -> "proven: " + proof.says())
                        .collect(Collectors.joining("\n"));
                String problems = evidence.problems().stream()
                        .map(problem -> "NOT proven: " + problem)
                        .collect(Collectors.joining("\n"));
                answer((proven + "\n" + problems).strip());
                return evidence.isSound() ? ExitCode.OK : ExitCode.CONFLICT;
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), "Check the files.");
            }
        }
    }

    @Command(
            name = "trust",
            description = "Accept a public key as a partner's, or as our own.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer =
                    "  tally exchange trust globex globex.pub --as acme --postgres 'jdbc:postgresql://db/acme?user=tally'")
    static final class Trust extends OfParticipant {

        @Parameters(index = "0", paramLabel = "NAME", description = "The participant.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String participant;

        @Parameters(index = "1", paramLabel = "FILE", description = "Its public key: ssh-ed25519 AAAA…")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private Path file;

        @Override
        ExitCode run(Database database, Participant self) {
            PublicKey key = PublicKey.parse(read(file));
            ExchangeSchema.migrations().migrate(database);
            new Partners(database).trust(new Participant(participant), key);
            answer("trusts key " + key.id() + " of " + participant);
            return ExitCode.OK;
        }
    }

    @Command(
            name = "key",
            description = "Make a signing key: FILE, and FILE.pub for partners.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = "  tally exchange key acme.key")
    static final class Key extends ExchangeAnswers {

        @Parameters(paramLabel = "FILE", description = "Where to write the private key.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private Path file;

        @Override
        public ExitCode run() {
            SigningKey key = SigningKey.generate();
            try {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                Files.writeString(file, key.toPem());
                Files.writeString(Path.of(file + ".pub"), key.publicKey() + "\n");
            } catch (IOException e) {
                throw new CommandFailed(ExitCode.CONFLICT, "cannot write " + file + ": " + e, "Choose another file.");
            }
            answer(key.publicKey().toString());
            return ExitCode.OK;
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new CommandFailed(ExitCode.NOT_FOUND, "cannot read " + file, "Check the name of the file.");
        }
    }

    private static String line(View view) {
        String failure = view.failure() == null ? "" : " (" + view.failure() + ")";
        return "%s %s → %s %s: %s%s"
                .formatted(view.inception(), view.producer(), view.consumer(), view.id(), view.status(), failure);
    }

    private static Json json(View view) {
        return new ExchangeAnswers.Fields()
                .with("n", view.producer())
                .with("p", view.consumer())
                .with("id", view.id())
                .with("ack_status", view.status().ack().name())
                .with("processing_status", view.status().processing().name())
                .with("replays", view.replays())
                .with("attempts", view.attempts())
                .with("inception_datum", view.inception().toString())
                .with("deadline", view.deadline().toString())
                .with("audit", view.audit())
                .json();
    }
}
