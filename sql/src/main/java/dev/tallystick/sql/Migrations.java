package dev.tallystick.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The numbered steps of one module's tables. Any number of instances may start at once: one migrates, the others wait and find
 * it done. Each step and its row in the table {@code migration} share a transaction, so a crash leaves only complete steps.
 *
 * <p>Rolling upgrades work: an instance accepts steps that it does not know, unless one of them says that it needs newer code.
 */
public final class Migrations {

    private final String module;
    private final List<Migration> steps;
    private final MigrationStore store = new MigrationStore();

    private Migrations(String module, List<Migration> steps) {
        this.module = module;
        this.steps = steps;
    }

    /**
     * The steps stored as resources beside a class.
     *
     * @param module the module that owns the steps
     * @param anchor the class beside the files
     * @param files {@code 0001-….sql}, {@code 0002-….sql} and so on, ascending; gaps leave room for parallel work
     */
    public static Migrations of(String module, Class<?> anchor, String... files) {
        List<Migration> steps = new ArrayList<>();
        for (String file : files) {
            steps.add(Migration.of(file, read(anchor, file)));
        }
        return of(module, steps);
    }

    static Migrations of(String module, List<Migration> steps) {
        for (int i = 1; i < steps.size(); i++) {
            if (steps.get(i).number() <= steps.get(i - 1).number()) {
                throw new IllegalArgumentException("migrations must be listed in the order of their numbers: "
                        + steps.get(i) + " is not after " + steps.get(i - 1));
            }
        }
        return new Migrations(module, List.copyOf(steps));
    }

    String name() {
        return module;
    }

    List<Migration> steps() {
        return steps;
    }

    /**
     * Brings the schema up to date. Only reads if it already is.
     *
     * @return the steps that this call applied; none if there was nothing to do, or another instance was first
     * @throws SchemaException if the schema needs newer code, a step was changed after it had been applied, or a step is
     *     missing that we may not apply
     */
    public List<String> migrate(Database database) {
        List<Migration> missing = missing(database);
        try {
            return missing.isEmpty() ? List.of() : apply(database);
        } catch (DefiniteFailureException e) {
            if (SqlStates.isForbidden(e)) {
                throw new SchemaException("the schema \"" + database.schema() + "\" lacks " + module + " " + missing
                        + ", and this role may not change it: run 'tally schema migrate' as a role that may,"
                        + " or run the output of 'tally schema print'");
            }
            throw e;
        }
    }

    /** The steps missing from the database. */
    List<Migration> missing(Database database) {
        return database.transact("check schema", tx -> {
            if (!store.exists(tx, database.schema())) {
                return steps;
            }
            demandNotTooNew(tx);
            Map<Integer, String> known = store.digests(tx, module);
            return steps.stream().filter(step -> isMissing(known, step)).toList();
        });
    }

    /** The SQL of these steps, to run by hand. */
    String script(List<Migration> chosen) {
        StringBuilder script = new StringBuilder();
        for (Migration step : chosen) {
            script.append("\n-- ").append(module).append(' ').append(step).append("\n\n");
            script.append(step.sql().strip());
            script.append(step.sql().stripTrailing().endsWith(";") ? "\n\n" : ";\n\n");
            script.append(MigrationStore.script(module, step));
        }
        return script.toString();
    }

    private List<String> apply(Database database) {
        List<String> applied = new ArrayList<>();
        database.transact("prepare migrations", SessionLimits.LONG, tx -> store.prepare(tx, database.schema()));
        for (Migration step : steps) {
            boolean mine = database.transact("migrate " + module + " " + step, SessionLimits.LONG, tx -> {
                boolean due = isDue(tx, step);
                if (due) {
                    tx.script(step.sql());
                    store.record(tx, module, step);
                    database.crashPoints().reached(SqlCrashPoint.MIGRATION_APPLIED);
                }
                return due;
            });
            if (mine) {
                applied.add(step.toString());
            }
        }
        return applied;
    }

    /** Under the migration lock, so that the answer still holds when the step is applied. */
    private boolean isDue(Tx tx, Migration step) throws SQLException {
        store.lock(tx);
        demandNotTooNew(tx);
        return isMissing(store.digests(tx, module), step);
    }

    private boolean isMissing(Map<Integer, String> known, Migration step) {
        String digest = known.get(step.number());
        if (digest != null && !digest.equals(step.digest())) {
            throw new SchemaException("migration " + module + " " + step
                    + " was applied with different content: never edit a step, add a new one instead");
        }
        return digest == null;
    }

    private void demandNotTooNew(Tx tx) throws SQLException {
        int needed = store.neededCode(tx, module);
        int known = steps.isEmpty() ? 0 : steps.getLast().number();
        if (needed > known) {
            throw new SchemaException("the schema of " + module + " needs code that knows migration " + needed
                    + ", this code knows " + known + ": upgrade this instance");
        }
    }

    private static String read(Class<?> anchor, String file) {
        try (InputStream in = anchor.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalArgumentException("no resource " + file + " beside " + anchor.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
