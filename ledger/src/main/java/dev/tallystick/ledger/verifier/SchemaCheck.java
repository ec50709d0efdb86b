package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** Whether documents conform to the schemas in the tree. References to other places are never fetched. */
final class SchemaCheck {

    private static final long COMPILED_BYTES = 1 << 20;

    private final ObjectFiles objects;
    private final SchemaRegistry registry = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            builder -> builder.schemaCacheEnabled(false).schemaLoader(loader -> loader.fetchRemoteResources(false)));
    private final ObjectCache<Schema> compiled = new ObjectCache<>(COMPILED_BYTES);

    SchemaCheck(ObjectFiles objects) {
        this.objects = objects;
    }

    /** The number of the schema in force; 0 if the collection has none. */
    int inForce(String schemas, String collection) throws IOException, Unsound {
        return schemas.isEmpty()
                ? 0
                : objects.tree(objects.tree(schemas).id(collection)).size();
    }

    boolean conforms(String schemas, String collection, int number, JsonNode document) throws IOException, Unsound {
        if (number == 0) {
            return true;
        }
        String id = objects.tree(objects.tree(schemas).id(collection)).id(Integer.toString(number));
        Schema schema = compiled.find(id);
        if (schema == null) {
            String text = new String(objects.read(id, "blob"), UTF_8);
            schema = registry.getSchema(text);
            compiled.put(id, schema, Math.min(text.length(), (int) COMPILED_BYTES / 8));
        }
        return schema.validate(document).isEmpty();
    }
}
