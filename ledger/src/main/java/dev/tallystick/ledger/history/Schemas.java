package dev.tallystick.ledger.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.verifier.document.BoundedSchema;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The JSON Schemas of the collections, kept in the tree as {@code schemas/COLLECTION/1}, {@code 2}, …; the last is in force.
 * A schema must be self-contained: external references are never fetched. Thread-safe.
 */
public final class Schemas {

    public static final int MOST_VERSIONS = 10_000;

    public static final JsonLimits LIMITS = JsonLimits.DEFAULT;

    private static final int CACHED = 256;

    private final Map<Oid, BoundedSchema> compiled = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Oid, BoundedSchema> eldest) {
            return size() > CACHED;
        }
    };

    /** The current version; 0 if the collection has no schema. */
    public static int version(View view, Collection collection) throws IOException {
        Optional<Tree.Entry> directory = view.find(List.of(Layout.SCHEMAS, collection.name()));
        return directory.isPresent() ? view.entries(directory.get().id()).size() : 0;
    }

    public static Optional<Json> json(View view, Collection collection, int version) throws IOException {
        Optional<Tree.Entry> file = file(view, collection, version);
        try {
            return file.isPresent()
                    ? Optional.of(Json.parse(view.blob(file.get().id()), LIMITS))
                    : Optional.empty();
        } catch (JsonRefused e) {
            throw new DamagedObjectException(
                    "schema " + version + " of " + collection + " is invalid JSON: " + e.getMessage(), e);
        }
    }

    /** What is wrong with {@code body} according to that version of the schema; empty if it is valid or there is no schema. */
    public Optional<String> complaint(View view, Collection collection, int version, String body) throws IOException {
        if (version == 0) {
            return Optional.empty();
        }
        Tree.Entry file = file(view, collection, version)
                .orElseThrow(
                        () -> new DamagedObjectException("schema " + version + " of " + collection + " is missing"));
        try {
            return compiled(file.id(), view.blob(file.id()))
                    .complaint(body)
                    .map(complaint -> "schema " + version + " of " + collection + ": " + complaint);
        } catch (IllegalArgumentException e) {
            return Optional.of("schema " + version + " of " + collection + " cannot be used, put another in force: "
                    + e.getMessage());
        }
    }

    /** Why this is not a valid schema; empty if it is. */
    public Optional<String> refusal(Json schema) {
        if (!(schema instanceof Json.ObjectValue) && !(schema instanceof Json.BooleanValue)) {
            return Optional.of("a schema must be an object, true or false");
        }
        try {
            BoundedSchema.compile(schema.canonical(LIMITS));
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of("this schema cannot be used: " + e.getMessage());
        }
    }

    private BoundedSchema compiled(Oid id, byte[] text) {
        synchronized (compiled) {
            return compiled.computeIfAbsent(id, missing -> BoundedSchema.compile(new String(text, UTF_8)));
        }
    }

    private static Optional<Tree.Entry> file(View view, Collection collection, int version) throws IOException {
        return view.find(List.of(Layout.SCHEMAS, collection.name(), Integer.toString(version)));
    }
}
