package dev.tallystick.ledger.verifier.document;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionConfig;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.OutputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * A JSON Schema that stands alone and comes to an end, whatever it says: references to other places are never fetched,
 * patterns take linear time, and the keywords applied to a document are counted, because references to references double
 * the work at each level. Thread-safe.
 */
public final class BoundedSchema {

    /** So many keywords may be applied to any document, and so many more for each character of its text. */
    private static final long MOST_STEPS = 1_000_000;

    private static final long STEPS_BY_CHARACTER = 100;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static final SchemaRegistry REGISTRY = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            builder -> builder.schemaCacheEnabled(false)
                    .schemaLoader(loader -> loader.fetchRemoteResources(false))
                    .schemaRegistryConfig(SchemaRegistryConfig.builder()
                            .regularExpressionFactory(LinearPattern::compile)
                            .build()));

    private final Schema schema;

    private BoundedSchema(Schema schema) {
        this.schema = schema;
    }

    /**
     * The schema that a text says.
     *
     * @throws IllegalArgumentException if it says none, or one that cannot be applied to anything
     */
    public static BoundedSchema compile(String text) {
        try {
            BoundedSchema compiled = new BoundedSchema(REGISTRY.getSchema(text));
            compiled.schema.initializeValidators();
            compiled.validate(MAPPER.nullNode(), 0);
            return compiled;
        } catch (SchemaException | JacksonException | StackOverflowError e) {
            throw new IllegalArgumentException(reason(e), e);
        }
    }

    /** What is wrong with a document; empty if it conforms. */
    public Optional<String> complaint(String text) {
        return complaint(MAPPER.readTree(text), text.length());
    }

    /**
     * Why the document does not conform; empty if it does.
     *
     * @param length about how many characters the document has
     */
    public synchronized Optional<String> complaint(JsonNode document, long length) {
        try {
            return validate(document, length).stream()
                    .findFirst()
                    .map(error -> error.getInstanceLocation() + " " + error.getMessage());
        } catch (SchemaException | IllegalArgumentException | StackOverflowError e) {
            return Optional.of("it cannot be applied: " + reason(e));
        }
    }

    private List<Error> validate(JsonNode document, long length) {
        long steps = MOST_STEPS + STEPS_BY_CHARACTER * length;
        ExecutionConfig config = schema.createExecutionContext().getExecutionConfig();
        return schema.validate(new Steps(config, steps), document, OutputFormat.DEFAULT);
    }

    private static String reason(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root instanceof StackOverflowError
                ? "it refers to itself without end"
                : String.valueOf(root.getMessage());
    }

    private static final class Steps extends ExecutionContext {

        private long left;

        Steps(ExecutionConfig config, long left) {
            super(config);
            this.left = left;
        }

        /** Called for every keyword that is applied. */
        @Override
        public void evaluationPathAddLast(String keyword) {
            if (--left < 0) {
                throw new IllegalArgumentException("it applies too many keywords to a document of this size");
            }
            super.evaluationPathAddLast(keyword);
        }
    }
}
