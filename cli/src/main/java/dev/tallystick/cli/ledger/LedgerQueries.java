package dev.tallystick.cli.ledger;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.core.Json;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.query.QueryIndex;
import dev.tallystick.ledger.tx.Changed;
import dev.tallystick.ledger.tx.CommitId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** SQL queries, and following new transactions. */
final class LedgerQueries {

    private LedgerQueries() {}

    @Command(
            name = "query",
            description = {
                "Query the current ledger in SQL (SQLite).",
                "Tables: document (collection, doc_id, version, head, deleted, updated_at, body),",
                "tx (collection, doc_id, branch, version, hash, tx_id, op, time, parent_hash, merged_hash,",
                "schema_version, conflicts), where branch names the MERGE that brought in another history and is",
                "empty for the document's own; damaged (path, reason). The tables are read-only."
            },
            footerHeading = "%nFor example:%n",
            footer = "  $ tally ledger --repo books.git query \"select doc_id, body ->> 'total' from document\"")
    static final class Query extends LedgerAdmin.Whole {

        @Parameters(paramLabel = "SQL", description = "The query.")
        private String sql;

        @Option(
                names = "--limit",
                paramLabel = "N",
                defaultValue = "1000",
                description = "Maximum number of rows (1000).")
        private int limit;

        @Option(names = "--rebuild", description = "Rebuild the index from the ledger first.")
        private boolean rebuild;

        @Override
        public ExitCode run() throws IOException {
            try (Ledger opened = ledger().open();
                    QueryIndex index = opened.index()) {
                if (rebuild) {
                    index.rebuild();
                }
                QueryIndex.Rows rows = index.query(sql, limit);
                SequencedMap<String, Json> fields = new LinkedHashMap<>();
                fields.put(
                        "columns",
                        new Json.ArrayValue(
                                rows.columns().stream().<Json>map(Json::of).toList()));
                fields.put(
                        "rows",
                        new Json.ArrayValue(rows.rows().stream()
                                .<Json>map(Json.ArrayValue::new)
                                .toList()));
                fields.put("more", Json.of(rows.more()));
                fields.put("damaged", Json.of(index.damaged()));
                return answer(table(rows) + damaged(index.damaged()), fields);
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(ExitCode.USAGE, LedgerInput.message(e), "Fix the SQL.");
            }
        }

        private static String damaged(long places) {
            return places == 0 ? "" : "\n(" + places + " unreadable: see the table damaged, and run 'verify')";
        }

        private static String table(QueryIndex.Rows rows) {
            List<List<String>> lines = new ArrayList<>();
            lines.add(rows.columns());
            rows.rows().forEach(row -> lines.add(row.stream().map(Query::text).toList()));
            int[] widths = new int[rows.columns().size()];
            for (List<String> line : lines) {
                for (int i = 0; i < widths.length; i++) {
                    widths[i] = Math.max(widths[i], line.get(i).length());
                }
            }
            return lines.stream()
                    .map(line -> line(line, widths))
                    .collect(Collectors.joining("\n", "", rows.more() ? "\n(more rows: raise --limit)" : ""));
        }

        private static String line(List<String> cells, int[] widths) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < cells.size(); i++) {
                String cell = cells.get(i);
                text.append(cell).append(" ".repeat(widths[i] - cell.length() + 2));
            }
            return text.toString().stripTrailing();
        }

        private static String text(Json value) {
            String text = value instanceof Json.StringValue string ? string.value() : value.canonical();
            return text.replaceAll("\\p{Cntrl}", "?");
        }
    }

    @Command(
            name = "watch",
            description = "Stream new transactions as server-sent events and keep the query index up to date.")
    static final class Watch extends LedgerAdmin.Whole {

        private static final long PAUSE_MILLIS = 100;

        @Option(
                names = "--since",
                paramLabel = "COMMIT",
                defaultValue = "",
                description = "Start after this commit, such as the ID of the last event seen (default: now).")
        private String since;

        @Option(
                names = "--count",
                paramLabel = "N",
                defaultValue = "0",
                description = "Stop after this many transactions.")
        private int count;

        private int seen;

        @Override
        public ExitCode run() throws IOException {
            try (Ledger opened = ledger().open();
                    QueryIndex index = opened.index()) {
                CommitId last = since.isEmpty()
                        ? opened.commit()
                        : LedgerInput.valid(() -> new CommitId(since), "Pass a commit's 40 hex digits.");
                while (count == 0 || seen < count) {
                    CommitId head = opened.commit();
                    if (head.equals(last)) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
                        if (Thread.interrupted()) {
                            return ExitCode.OK;
                        }
                        continue;
                    }
                    List<Changed> batch = new ArrayList<>();
                    CommitId reached = opened.changes(last, batch::add);
                    index.refresh();
                    tell(batch, last, reached);
                    last = reached;
                }
                return ExitCode.OK;
            }
        }

        /** All but the last event of a batch carry the previous commit's ID: a reader that stops in between misses nothing. */
        private void tell(List<Changed> batch, CommitId before, CommitId reached) {
            for (int i = 0; i < batch.size(); i++) {
                Changed changed = batch.get(i);
                Map<String, Json> data =
                        new TreeMap<>(((Json.ObjectValue) LedgerReads.Log.fields(changed.entry())).members());
                data.put("collection", Json.of(changed.stream().collection().name()));
                data.put("document", Json.of(changed.stream().document()));
                CommitId id = i == batch.size() - 1 ? reached : before;
                print("id: " + id + "\nevent: transaction\ndata: " + new Json.ObjectValue(data).canonical() + "\n");
                seen++;
            }
        }
    }
}
