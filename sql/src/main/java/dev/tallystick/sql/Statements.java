package dev.tallystick.sql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The statements of a database. They are written for the schema {@code tally}; where the tables are in another, each is rewritten
 * once. Not by {@code search_path}: that belongs to a session, which is the application's or, behind a pooler, anybody's.
 */
final class Statements {

    private static final Pattern QUALIFIER = Pattern.compile("\\btally\\.(?=[a-z_])");

    private final SchemaName schema;
    private final Map<String, String> rewritten = new ConcurrentHashMap<>();
    private final Map<String, String> withCommit = new ConcurrentHashMap<>();

    Statements(SchemaName schema) {
        this.schema = schema;
    }

    SchemaName schema() {
        return schema;
    }

    String text(String sql) {
        return schema.equals(SchemaName.DEFAULT) ? sql : rewritten.computeIfAbsent(sql, this::rewrite);
    }

    /** The statement together with COMMIT, in one round trip. */
    String withCommit(String sql) {
        return withCommit.computeIfAbsent(sql, last -> last + ";\ncommit");
    }

    private String rewrite(String sql) {
        return QUALIFIER.matcher(sql).replaceAll(schema.quoted() + ".");
    }
}
