package dev.tallystick.core.api;

import dev.tallystick.core.Json;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a record is written in JSON. Names are in snake case and in the order of the record; nullable members may be missing, and
 * are left out when null. The schema comes from the same reflection, so the OpenAPI document always matches what is read and
 * written.
 */
public final class RecordBinding {

    /** Who reads: a server refuses what it does not know; a client ignores it, but expects no negative counts. */
    enum Reader {
        SERVER,
        CLIENT
    }

    private static final ClassValue<RecordBinding> AT_SERVER = bindings(Reader.SERVER);
    private static final ClassValue<RecordBinding> AT_CLIENT = bindings(Reader.CLIENT);

    private static ClassValue<RecordBinding> bindings(Reader reader) {
        return new ClassValue<>() {
            @Override
            protected RecordBinding computeValue(Class<?> type) {
                return new RecordBinding(type, reader);
            }
        };
    }

    private record Part(
            String name,
            boolean optional,
            FieldBinding kind,
            @Nullable Values values,
            MethodHandle accessor) {}

    private final Class<?> type;
    private final Reader reader;
    private final List<Part> parts = new ArrayList<>();
    private final MethodHandle constructor;

    /** Reads requests as a server does. */
    public static RecordBinding of(Class<?> type) {
        return of(type, Reader.SERVER);
    }

    /** Reads answers as a client does. */
    public static RecordBinding ofAnswer(Class<?> type) {
        return of(type, Reader.CLIENT);
    }

    static RecordBinding of(Class<?> type, Reader reader) {
        return (reader == Reader.SERVER ? AT_SERVER : AT_CLIENT).get(type);
    }

    private RecordBinding(Class<?> type, Reader reader) {
        this.type = type;
        this.reader = reader;
        RecordComponent[] components = type.getRecordComponents();
        if (components == null) {
            throw new IllegalArgumentException(type + " is not a record");
        }
        try {
            MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            List<Class<?>> types = new ArrayList<>();
            for (RecordComponent component : components) {
                types.add(component.getType());
                parts.add(new Part(
                        snakeCase(component.getName()),
                        component.getAnnotatedType().isAnnotationPresent(Nullable.class),
                        FieldBinding.of(component.getGenericType(), reader),
                        component.getAnnotation(Values.class),
                        lookup.unreflect(component.getAccessor())
                                .asType(MethodType.methodType(Object.class, Object.class))));
            }
            this.constructor = lookup.findConstructor(type, MethodType.methodType(void.class, types))
                    .asSpreader(Object[].class, types.size())
                    .asType(MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot look into " + type, e);
        }
    }

    /** Reads a record, or throws {@link RecordRefused}, which names the place. */
    public Object read(Json document) {
        return read(document, "");
    }

    Object read(Json document, String place) {
        if (!(document instanceof Json.ObjectValue object)) {
            throw RecordRefused.at(place, "is an object");
        }
        @Nullable Object[] values = new Object[parts.size()];
        int found = 0;
        for (int i = 0; i < values.length; i++) {
            Part part = parts.get(i);
            Json member = object.members().get(part.name());
            if (member != null) {
                found++;
            }
            if (member == null
                    || (member instanceof Json.NullValue && !part.kind().takesNull())) {
                values[i] = part.kind().whenMissing();
                if (values[i] == null && !part.optional()) {
                    throw RecordRefused.at(place + "/" + part.name(), "is needed");
                }
            } else {
                values[i] = part.kind().read(member, place + "/" + part.name());
            }
        }
        if (reader == Reader.SERVER && found < object.members().size()) {
            throw RecordRefused.at(place, "has an unknown field " + unknown(object));
        }
        return construct(values, place);
    }

    /** Reads a time as the members of records are written. */
    public static Instant time(String text, String place) {
        return (Instant) new FieldBinding.Time().read(Json.of(text), place);
    }

    /** The JSON text of a record. */
    public static String text(Record value) {
        StringBuilder text = new StringBuilder(256);
        of(value.getClass()).write(value, text);
        return text.toString();
    }

    /** Appends the record as an object. */
    public void write(Object value, StringBuilder out) {
        out.append('{');
        boolean first = true;
        for (Part part : parts) {
            Object member = component(part, value);
            if (member == null || member.equals(part.kind().whenMissing())) {
                continue;
            }
            if (!first) {
                out.append(',');
            }
            first = false;
            out.append('"').append(part.name()).append("\":");
            part.kind().write(member, out);
        }
        out.append('}');
    }

    /** JSON Schema, as OpenAPI 3.1 takes it. */
    public Json.ObjectValue schema() {
        Map<String, Json> properties = new TreeMap<>();
        List<Json> required = new ArrayList<>();
        for (Part part : parts) {
            properties.put(part.name(), schema(part));
            if (!part.optional() && part.kind().whenMissing() == null) {
                required.add(Json.of(part.name()));
            }
        }
        Map<String, Json> schema = new TreeMap<>();
        schema.put("type", Json.of("object"));
        schema.put("properties", new Json.ObjectValue(properties));
        schema.put("additionalProperties", Json.of(false));
        if (!required.isEmpty()) {
            schema.put("required", new Json.ArrayValue(required));
        }
        return new Json.ObjectValue(schema);
    }

    private static Json schema(Part part) {
        Values values = part.values();
        if (values == null || !(part.kind().schema() instanceof Json.ObjectValue plain)) {
            return part.kind().schema();
        }
        Map<String, Json> schema = new TreeMap<>(plain.members());
        if (values.oneOf().length > 0) {
            Json.ArrayValue all = new Json.ArrayValue(
                    Arrays.stream(values.oneOf()).<Json>map(Json::of).toList());
            boolean isList = schema.containsKey("items");
            schema.put(
                    isList ? "items" : "enum",
                    isList ? new Json.ObjectValue(Map.of("type", Json.of("string"), "enum", all)) : all);
        }
        if (values.recordOrProblem() != void.class) {
            Json problem = new Json.ObjectValue(Map.of("$ref", Json.of("#/components/schemas/Problem")));
            Json record = RecordBinding.of(values.recordOrProblem()).schema();
            schema.put("items", new Json.ObjectValue(Map.of("anyOf", new Json.ArrayValue(List.of(record, problem)))));
        }
        if (values.least() != Long.MIN_VALUE) {
            schema.put("minimum", Json.of(values.least()));
        }
        if (values.most() != Long.MAX_VALUE) {
            schema.put("maximum", Json.of(values.most()));
        }
        if (!values.ifMissing().isEmpty()) {
            schema.put("default", Json.parse(values.ifMissing()));
        }
        return new Json.ObjectValue(schema);
    }

    public String name() {
        return type.getSimpleName();
    }

    private Object construct(@Nullable Object[] values, String place) {
        try {
            return constructor.invokeExact(values);
        } catch (IllegalArgumentException e) {
            throw new RecordRefused(RecordRefused.where(place) + ": " + e.getMessage());
        } catch (Throwable e) {
            throw new IllegalStateException("cannot make a " + type, e);
        }
    }

    private static @Nullable Object component(Part part, Object value) {
        try {
            return part.accessor().invokeExact(value);
        } catch (Throwable e) {
            throw new IllegalStateException("cannot read " + part.name(), e);
        }
    }

    private String unknown(Json.ObjectValue object) {
        return object.members().keySet().stream()
                .filter(name -> parts.stream().noneMatch(part -> part.name().equals(name)))
                .findFirst()
                .map(name -> "'" + (name.length() > 100 ? name.substring(0, 100) + "…" : name) + "'")
                .orElseThrow();
    }

    static String snakeCase(String camelCase) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < camelCase.length(); i++) {
            char c = camelCase.charAt(i);
            if (Character.isUpperCase(c)) {
                out.append('_');
            }
            out.append(Character.toLowerCase(c));
        }
        return out.toString();
    }
}
