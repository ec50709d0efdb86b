package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.tallystick.core.Json;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The JSON Schemas of the collections, kept in the tree as {@code schemas/COLLECTION/1}, {@code 2}, …; the last is in force.
 * A schema must be self-contained: external references are never fetched. Thread-safe.
 */
final class Schemas {

    static final int MOST_VERSIONS = 10_000;

    private static final int CACHED = 256;

    private final SchemaRegistry registry = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            builder -> builder.schemaCacheEnabled(false).schemaLoader(loader -> loader.fetchRemoteResources(false)));
    private final Map<Oid, Schema> compiled = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Oid, Schema> eldest) {
            return size() > CACHED;
        }
    };

    /** The current version; 0 if the collection has no schema. */
    static int version(View view, Collection collection) throws IOException {
        Optional<Tree.Entry> directory = view.find(List.of(Layout.SCHEMAS, collection.name()));
        return directory.isPresent() ? view.entries(directory.get().id()).size() : 0;
    }

    static Optional<String> text(View view, Collection collection, int version) throws IOException {
        Optional<Tree.Entry> file = file(view, collection, version);
        return file.isPresent() ? Optional.of(new String(view.blob(file.get().id()), UTF_8)) : Optional.empty();
    }

    /** What is wrong with {@code body} according to that version of the schema; empty if it is valid or there is no schema. */
    Optional<String> complaint(View view, Collection collection, int version, String body) throws IOException {
        if (version == 0) {
            return Optional.empty();
        }
        Tree.Entry file = file(view, collection, version)
                .orElseThrow(
                        () -> new DamagedObjectException("schema " + version + " of " + collection + " is missing"));
        Schema schema = compiled(file.id(), view.blob(file.id()));
        List<Error> errors;
        try {
            synchronized (schema) {
                errors = schema.validate(body, InputFormat.JSON);
            }
        } catch (SchemaException e) {
            return Optional.of("schema " + version + " of " + collection + " cannot be applied: " + e.getMessage());
        }
        return errors.isEmpty()
                ? Optional.empty()
                : Optional.of("schema " + version + " of " + collection + ": "
                        + errors.getFirst().getInstanceLocation() + " "
                        + errors.getFirst().getMessage());
    }

    /** Why this is not a valid schema; empty if it is. */
    Optional<String> refusal(Json schema) {
        if (!(schema instanceof Json.ObjectValue) && !(schema instanceof Json.BooleanValue)) {
            return Optional.of("a schema must be an object, true or false");
        }
        try {
            Schema parsed = registry.getSchema(schema.canonical());
            parsed.initializeValidators();
            parsed.validate("null", InputFormat.JSON);
            return Optional.empty();
        } catch (SchemaException e) {
            return Optional.of("invalid schema: " + e.getMessage());
        }
    }

    private Schema compiled(Oid id, byte[] text) {
        synchronized (compiled) {
            return compiled.computeIfAbsent(id, missing -> registry.getSchema(new String(text, UTF_8)));
        }
    }

    private static Optional<Tree.Entry> file(View view, Collection collection, int version) throws IOException {
        return view.find(List.of(Layout.SCHEMAS, collection.name(), Integer.toString(version)));
    }
}
