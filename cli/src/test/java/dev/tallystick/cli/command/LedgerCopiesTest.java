package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.core.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerCopiesTest {

    @TempDir
    Path scratch;

    private Path home;
    private Path away;
    private Path rootKey;
    private String head;

    @BeforeEach
    void init_and_clone() throws IOException {
        home = scratch.resolve("home.git");
        away = scratch.resolve("away.git");
        rootKey = scratch.resolve("root.pub");
        Files.writeString(rootKey, text(json(ledger(home, "init")), "root_key") + "\n");
        head = put(home, "o-1", "{\"n\":1}", "");
        json(ledger(away, "clone", home.toString(), "--root-key", rootKey.toString()));
        try (var keys = Files.list(home.resolve("tally/keys"))) {
            json(ledger(away, "keys", "--import", keys.findFirst().orElseThrow().toString()));
        }
    }

    @Test
    void commits_travel_between_copies() {
        put(away, "o-2", "2", "");
        assertThat(outcome(ledger(away, "push"), ExitCode.OK)).isEqualTo("pushed");
        put(home, "o-3", "3", "");
        assertThat(outcome(ledger(away, "push"), ExitCode.CONFLICT)).isEqualTo("fetch_first");
        assertThat(outcome(ledger(away, "fetch"), ExitCode.OK)).isEqualTo("forwarded");
        assertThat(outcome(ledger(away, "push"), ExitCode.OK)).isEqualTo("up_to_date");
        json(ledger(away, "get", "orders", "o-3"));
    }

    @Test
    void diverged_copies_conflict_until_they_are_merged() {
        put(home, "o-1", "{\"n\":2}", head);
        put(away, "o-1", "{\"n\":3}", head);
        assertThat(outcome(ledger(away, "push"), ExitCode.CONFLICT)).isEqualTo("fetch_first");
        assertThat(outcome(ledger(away, "fetch"), ExitCode.CONFLICT)).isEqualTo("diverged");
        assertThat(outcome(ledger(away, "merge"), ExitCode.OK)).isEqualTo("joined");
        assertThat(ledger(away, "log", "orders", "o-1").out())
                .contains("\"op\":\"merge\"", "\"conflicts\":[{", "\"merged_hash\"");
        assertThat(outcome(ledger(away, "push"), ExitCode.OK)).isEqualTo("pushed");
        assertThat(json(ledger(home, "verify", "--root-key", rootKey.toString())))
                .containsEntry("verdict", Json.of("verified"));
    }

    @Test
    void long_conflicts_are_listed() {
        put(home, "o-1", "\"" + "a".repeat(700_000) + "\"", head);
        put(away, "o-1", "\"" + "b".repeat(700_000) + "\"", head);
        assertThat(ledger(away, "merge").exitCode()).isZero();
        Run log = ledger(away, "log", "orders", "o-1");
        assertThat(log.exitCode()).as(log.err()).isZero();
        assertThat(log.out()).contains("\"conflicts\":[{");
    }

    @Test
    void merged_transactions_are_listed_shown_and_proven() throws IOException {
        put(home, "o-1", "{\"n\":2}", head);
        put(away, "o-1", "{\"n\":3}", head);
        assertThat(outcome(ledger(away, "merge"), ExitCode.OK)).isEqualTo("joined");
        String all = ledger(away, "log", "orders", "o-1", "--all").out();
        assertThat(all).contains("\"branch\":\"3\"", "\"more\":false");
        assertThat(ledger(away, "log", "orders", "o-1", "--limit", "2").out()).contains("\"more\":true");
        Run text = Run.tally("ledger", "--repo", away.toString(), "log", "orders", "o-1", "--limit", "2");
        assertThat(text.out()).endsWith("(more transactions: raise --limit)\n");
        assertThat(List.of(
                        ledger(away, "get", "orders", "o-1", "--at", "2").out(),
                        ledger(away, "get", "orders", "o-1", "--at", "2", "--branch", "3")
                                .out()))
                .anyMatch(out -> out.contains("{\"n\":2}"))
                .anyMatch(out -> out.contains("{\"n\":3}"));
        assertThat(ledger(away, "get", "orders", "o-1", "--branch", "3").exitCode())
                .isEqualTo(ExitCode.USAGE.code());
        Path receipt = scratch.resolve("receipt.json");
        Files.writeString(
                receipt,
                ledger(away, "receipt", "orders", "o-1", "--at", "2", "--branch", "3")
                        .out());
        assertThat(Run.tally("verify", receipt.toString(), "--root-key", rootKey.toString())
                        .exitCode())
                .isZero();
    }

    @Test
    void a_history_that_a_retired_key_continued_is_not_taken_over() throws IOException {
        put(home, "o-2", "2", "");
        Path other = scratch.resolve("other.pub");
        Files.writeString(other, text(json(ledger(scratch.resolve("other.git"), "init")), "root_key") + "\n");
        for (String command : List.of("fetch", "merge")) {
            assertThat(outcome(ledger(away, command, "--current-key", other.toString()), ExitCode.CONFLICT))
                    .isEqualTo("refused");
        }
        assertThat(outcome(ledger(away, "fetch", "--current-key", rootKey.toString()), ExitCode.OK))
                .isEqualTo("forwarded");
    }

    @Test
    void a_failed_copy_says_why() {
        assertThat(outcome(ledger(away, "clone", home.toString()), ExitCode.OK))
                .as("repeating a clone finds it done")
                .isEqualTo("cloned");
        put(away, "o-9", "9", "");
        assertThat(ledger(away, "clone", home.toString()).exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(ledger(away, "clone", away.toString()).exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        Path nowhere = scratch.resolve("nowhere");
        assertThat(ledger(scratch.resolve("new.git"), "clone", nowhere.toString())
                        .exitCode())
                .isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ledger(away, "fetch", nowhere.toString()).exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ledger(home, "fetch", "--", "-x").exitCode()).isEqualTo(ExitCode.USAGE.code());
    }

    @Test
    void documents_are_asked_for_in_sql() {
        put(home, "o-2", "{\"n\":20}", "");
        Run run = ledger(home, "query", "select doc_id, body ->> 'n' as n from document order by doc_id");
        assertThat(json(run))
                .containsEntry("columns", Json.parse("[\"doc_id\",\"n\"]"))
                .containsEntry("rows", Json.parse("[[\"o-1\",1],[\"o-2\",20]]"));
        assertThat(ledger(home, "query", "delete from document").exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(json(ledger(home, "query", "--rebuild", "select count(*) as n from tx")))
                .containsEntry("rows", Json.parse("[[2]]"));
        Run table = Run.tally("ledger", "--repo", home.toString(), "query", "select doc_id, version from document");
        assertThat(table.out()).isEqualTo("doc_id  version\no-1     1\no-2     1\n");
    }

    @Test
    void transactions_are_watched_from_a_commit_on() {
        String since = text(json(ledger(home, "inspect")), "commit");
        put(home, "o-2", "2", "");
        put(home, "o-3", "3", "");
        Run run = ledger(home, "watch", "--since", since, "--count", "2");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().lines().filter(line -> line.startsWith("data: "))).hasSize(2);
        assertThat(run.out()).contains("event: transaction\n", "id: " + text(json(ledger(home, "inspect")), "commit"));
        assertThat(ledger(home, "watch", "--since", "x").exitCode()).isEqualTo(ExitCode.USAGE.code());
    }

    private static String put(Path repository, String document, String body, String head) {
        return text(
                json(ledger(repository, "put", "orders", document, "--body", body, "--expected-head", head)), "head");
    }

    private static Run ledger(Path repository, String... arguments) {
        List<String> all = new ArrayList<>(List.of("--json", "ledger", "--repo", repository.toString()));
        all.addAll(List.of(arguments));
        return Run.tally(all.toArray(String[]::new));
    }

    private static String outcome(Run run, ExitCode expected) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(expected.code());
        return text(((Json.ObjectValue) Json.parse(run.out())).members(), "outcome");
    }

    private static Map<String, Json> json(Run run) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return ((Json.ObjectValue) Json.parse(run.out())).members();
    }

    private static String text(Map<String, Json> fields, String name) {
        return ((Json.StringValue) fields.getOrDefault(name, Json.of(""))).value();
    }
}
