package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.ExchangeApi.DifferenceView;
import dev.tallystick.core.api.ExchangeApi.IssueView;
import dev.tallystick.core.api.ExchangeApi.PostingView;
import dev.tallystick.exchange.ExchangeSchema;
import dev.tallystick.exchange.books.Bundle;
import dev.tallystick.exchange.books.Evidence;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.PublicKey;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.sql.Database;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A participant's postings, issues and evidence. */
@Command(
        name = "exchange",
        description = {
            "Look after the postings that a participant exchanges with its partners:",
            "through its server, or on its database with --postgres and --as."
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
            "  tally exchange ls",
            "  tally exchange issues --as acme --postgres 'jdbc:postgresql://db/acme?user=tally' --json",
            "  tally exchange verify invoice-7.json --n-key acme.pub --p-key globex.pub",
        })
final class ExchangeCommand extends TallyCommand {

    @Override
    public ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "missing subcommand", "Try 'tally exchange --help'.");
    }

    /** A command on the records of a participant. */
    abstract static class OfParticipant extends ServerConnection {

        @Mixin
        private final ExchangeDatabase database = new ExchangeDatabase();

        abstract ExitCode run(ExchangeSource source);

        /** The database of the partner, for those who compare with it. */
        Database partners() {
            throw new CommandFailed(ExitCode.USAGE, "this needs the partner's books", "Pass --partner-postgres.");
        }

        @Override
        public final ExitCode run(TallyClient client) {
            return run(new ServerExchange(client.postings()));
        }

        @Override
        public final Optional<ExitCode> runHere() {
            return database.isGiven()
                    ? Optional.of(database.use(
                            environment(), (opened, self) -> run(new DatabaseExchange(opened, self, this::partners))))
                    : Optional.empty();
        }

        final Database open(String url) {
            return database.open(environment(), url);
        }

        final void say(String text) {
            answer(text, ExchangeText.sentence(text));
        }

        final <T> void list(String field, List<T> items, Function<T, String> line, Function<T, Json> json) {
            answer(
                    items.isEmpty() ? "none" : items.stream().map(line).collect(Collectors.joining("\n")),
                    ExchangeText.list(field, items.stream().map(json).toList()));
        }
    }

    @Command(
            name = "ls",
            description = "List postings, the newest first.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = {"  tally exchange ls", "  tally exchange ls --all --limit 10"})
    static final class Ls extends OfParticipant {

        @Option(names = "--all", description = "Also those that are settled.")
        private boolean all;

        @Option(names = "--limit", paramLabel = "N", description = "At most so many of each side (default: 50).")
        private int limit = 50;

        @Override
        ExitCode run(ExchangeSource source) {
            list("postings", source.list(all, limit), ExchangeText::line, ExchangeText::json);
            return ExitCode.OK;
        }
    }

    @Command(
            name = "show",
            description = "Show a posting with its audit trail.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = {
                "  tally exchange show invoice-7",
                "  tally exchange show invoice-7 --as acme --postgres 'jdbc:postgresql://db/acme?user=tally'"
            })
    static final class Show extends OfParticipant {

        @Parameters(paramLabel = "ID", description = "The posting's id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String id;

        @Override
        ExitCode run(ExchangeSource source) {
            List<PostingView> found = source.find(id);
            if (found.isEmpty()) {
                throw new CommandFailed(
                        ExitCode.NOT_FOUND, "there is no posting " + id, "Try 'tally exchange ls --all'.");
            }
            list("postings", found, ExchangeText::lineWithTrail, ExchangeText::json);
            return ExitCode.OK;
        }
    }

    @Command(
            name = "replay",
            description = "Let an instance publish an open posting, or an unacknowledged result, again.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = "  tally exchange replay invoice-7")
    static final class Replay extends OfParticipant {

        @Parameters(paramLabel = "ID", description = "The posting's id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String id;

        @Override
        ExitCode run(ExchangeSource source) {
            if (!source.replay(id)) {
                throw new CommandFailed(
                        ExitCode.CONFLICT, id + " is not open", "See 'tally exchange show " + id + "'.");
            }
            say("published again soon");
            return ExitCode.OK;
        }
    }

    @Command(
            name = "issues",
            description = {"List consistency issues, the newest first.", "The exit code is 4 if there are any."},
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = "  tally exchange issues --json")
    static final class IssuesOf extends OfParticipant {

        private static final int MOST = 500;

        @Option(names = "--all", description = "Also those that are resolved.")
        private boolean all;

        @Override
        ExitCode run(ExchangeSource source) {
            List<IssueView> issues = source.issues(all, MOST);
            list("issues", issues, ExchangeText::line, ExchangeText::json);
            return issues.isEmpty() ? ExitCode.OK : ExitCode.CONFLICT;
        }
    }

    @Command(
            name = "reconcile",
            description = {
                "Compare our books with a partner's, and record every difference as an issue.",
                "Our server asks the partner's. With --postgres, the two databases are compared.",
                "The exit code is 4 if the books differ."
            },
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = {
                "  tally exchange reconcile --with globex",
                "  tally exchange reconcile --with globex --as acme --postgres 'jdbc:postgresql://db/acme?user=tally' --partner-postgres 'jdbc:postgresql://copy/globex?user=tally'"
            })
    static final class Reconcile extends OfParticipant {

        @Option(names = "--with", paramLabel = "NAME", required = true, description = "The partner.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String with;

        @Option(
                names = "--partner-postgres",
                paramLabel = "JDBC-URL",
                description = "With --postgres: the partner's database, or a copy of it.")
        private @Nullable String partner;

        @Override
        Database partners() {
            return partner == null ? super.partners() : open(partner);
        }

        @Override
        ExitCode run(ExchangeSource source) {
            List<DifferenceView> differences = source.reconcile(with);
            if (differences.isEmpty()) {
                say("the books agree");
                return ExitCode.OK;
            }
            list("differences", differences, ExchangeText::line, ExchangeText::json);
            return ExitCode.CONFLICT;
        }
    }

    @Command(
            name = "export",
            description = "Print the evidence for a posting as a bundle.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = "  tally exchange export invoice-7 --from globex")
    static final class Export extends OfParticipant {

        @Parameters(paramLabel = "ID", description = "The posting's id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String id;

        @Option(names = "--from", paramLabel = "NAME", description = "Its producer, if it was posted to us.")
        private @Nullable String from;

        @Override
        ExitCode run(ExchangeSource source) {
            print(source.bundle(id, from)
                    .orElseThrow(() -> new CommandFailed(
                            ExitCode.NOT_FOUND,
                            "there is no such posting",
                            "If a partner posted it, name the partner with --from.")));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "verify",
            description = "Check a bundle, with nothing but a public key of each participant.",
            sortOptions = false)
    static final class Verify extends TallyCommand {

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
                String text = (proven + "\n" + problems).strip();
                answer(text, ExchangeText.sentence(text));
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
    static final class Trust extends TallyCommand {

        @Mixin
        private final ExchangeDatabase database = new ExchangeDatabase();

        @Parameters(index = "0", paramLabel = "NAME", description = "The participant.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String participant;

        @Parameters(index = "1", paramLabel = "FILE", description = "Its public key: ssh-ed25519 AAAA…")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private Path file;

        @Override
        public ExitCode run() {
            return database.use(environment(), (opened, self) -> {
                PublicKey key = PublicKey.parse(read(file));
                ExchangeSchema.migrations().migrate(opened);
                new Partners(opened).trust(new Participant(participant), key);
                String text = "trusts key " + key.id() + " of " + participant;
                answer(text, ExchangeText.sentence(text));
                return ExitCode.OK;
            });
        }
    }

    @Command(
            name = "key",
            description = "Make a signing key: FILE, and FILE.pub for partners.",
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = "  tally exchange key acme.key")
    static final class Key extends TallyCommand {

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
            answer(
                    key.publicKey().toString(),
                    ExchangeText.sentence(key.publicKey().toString()));
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
}
