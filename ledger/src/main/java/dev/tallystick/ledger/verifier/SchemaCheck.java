package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.verifier.document.BoundedSchema;
import dev.tallystick.ledger.verifier.git.ObjectCache;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** Whether documents conform to the schemas in the tree. */
final class SchemaCheck {

    private static final long COMPILED_BYTES = 1 << 20;

    private final ObjectFiles objects;
    private final ObjectCache<BoundedSchema> compiled = new ObjectCache<>(COMPILED_BYTES);

    SchemaCheck(ObjectFiles objects) {
        this.objects = objects;
    }

    /** The number of the schema in force; 0 if the collection has none. */
    int inForce(String schemas, String collection) throws IOException, Unsound {
        return schemas.isEmpty()
                ? 0
                : objects.tree(objects.tree(schemas).id(collection)).size();
    }

    /** @param length about how many characters the document has */
    boolean conforms(String schemas, String collection, int number, JsonNode document, long length)
            throws IOException, Unsound {
        if (number == 0) {
            return true;
        }
        String id = objects.tree(objects.tree(schemas).id(collection)).id(Integer.toString(number));
        BoundedSchema schema = compiled.find(id);
        if (schema == null) {
            String text = new String(objects.read(id, "blob"), UTF_8);
            try {
                schema = BoundedSchema.compile(text);
            } catch (IllegalArgumentException e) {
                throw new Unsound("schema " + number + " cannot be used: " + e.getMessage());
            }
            compiled.put(id, schema, Math.min(text.length(), (int) COMPILED_BYTES / 8));
        }
        return schema.complaint(document, length).isEmpty();
    }
}
