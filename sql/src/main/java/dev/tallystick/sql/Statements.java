package dev.tallystick.sql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The statements of a database. They are written for the schema {@code tally}; for another schema, each is rewritten once. We
 * do not use {@code search_path}: it belongs to a session, which is the application's or, behind a pooler, shared with others.
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

    /** The statement with COMMIT appended, in one round trip. */
    String withCommit(String sql) {
        return withCommit.computeIfAbsent(sql, last -> last + ";\ncommit");
    }

    private String rewrite(String sql) {
        return QUALIFIER.matcher(sql).replaceAll(schema.quoted() + ".");
    }
}
