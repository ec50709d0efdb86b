package dev.tallystick.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The tables of several modules, created by their migrations in this order. Only {@link #migrate} writes, and only if a step
 * is missing: a role that may only read and write the tables can use a schema that another role has brought up to date.
 */
public record Schema(List<Migrations> modules) {

    public Schema {
        modules = List.copyOf(modules);
    }

    public static Schema of(Migrations... modules) {
        return new Schema(List.of(modules));
    }

    /** With the tables of further modules, which may build on these. */
    public Schema and(Migrations... further) {
        return new Schema(Stream.concat(modules.stream(), Stream.of(further)).toList());
    }

    /**
     * Brings the schema up to date.
     *
     * @return the steps that this call applied; none if there was nothing to do, or another instance was first
     * @throws SchemaException if the schema needs newer code, a step was changed after it had been applied, or a step is missing
     *     that we may not apply
     */
    public List<String> migrate(Database database) {
        List<String> applied = new ArrayList<>();
        for (Migrations module : modules) {
            for (String step : module.migrate(database)) {
                applied.add(module.name() + " " + step);
            }
        }
        return applied;
    }

    /**
     * The steps missing from this database.
     *
     * @throws SchemaException if the schema needs newer code, or a step was changed after it had been applied
     */
    public List<String> missing(Database database) {
        List<String> missing = new ArrayList<>();
        for (Migrations module : modules) {
            for (Migration step : module.missing(database)) {
                missing.add(module.name() + " " + step);
            }
        }
        return missing;
    }

    /** SQL that does to an empty database what {@link #migrate} does. */
    public String script(SchemaName name) {
        StringBuilder script = new StringBuilder(MigrationStore.script(name));
        modules.forEach(module -> script.append(module.script(module.steps())));
        return inOneTransaction(name, script);
    }

    /** SQL that does to this database what {@link #migrate} would do; empty if there is nothing to do. */
    public String script(Database database) {
        StringBuilder script = new StringBuilder();
        modules.forEach(module -> script.append(module.script(module.missing(database))));
        return script.isEmpty()
                ? ""
                : inOneTransaction(database.schema(), script.insert(0, MigrationStore.script(database.schema())));
    }

    private static String inOneTransaction(SchemaName name, StringBuilder script) {
        return new Statements(name).text("begin;\n\n" + script + "\ncommit;\n");
    }
}
