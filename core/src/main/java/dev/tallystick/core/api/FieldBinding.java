package dev.tallystick.core.api;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.RecordBinding.Reader;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How one kind of value is written in a request or an answer. */
sealed interface FieldBinding {

    Object read(Json value, String place);

    void write(Object value, StringBuilder out);

    Json schema();

    /** Whether a JSON null is a value of this kind, and not a missing one. */
    default boolean takesNull() {
        return false;
    }

    /** The value that a missing member stands for; null if there is none. It is left out when written. */
    default @Nullable Object whenMissing() {
        return null;
    }

    static FieldBinding of(Type type, Reader reader) {
        if (type instanceof ParameterizedType map && map.getRawType() == Map.class) {
            return new Words();
        }
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            return new Many(of(list.getActualTypeArguments()[0], reader));
        }
        if (type instanceof ParameterizedType tried && tried.getRawType() == Tried.class) {
            return new OnTrial(of(tried.getActualTypeArguments()[0], reader));
        }
        if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            boolean isLong = type == long.class || type == Long.class;
            return new Whole(isLong, reader == Reader.CLIENT && !isLong ? 0 : Long.MIN_VALUE);
        }
        if (type == boolean.class || type == Boolean.class) {
            return new Flag();
        }
        if (type == String.class) {
            return new Text();
        }
        if (type == Priority.class) {
            return new Word<>(Priority::parse, Priority::word, List.of(Priority.values()));
        }
        if (type == Role.class) {
            return new Word<>(Role::parse, Role::word, List.of(Role.values()));
        }
        if (type == Destination.class) {
            return new Word<>(Destination::parse, Destination::toString, List.of());
        }
        if (type == URI.class) {
            return new Word<>(URI::create, URI::toString, List.of());
        }
        if (type == Instant.class) {
            return new Time();
        }
        if (type == UUID.class) {
            return new Id();
        }
        if (type == Json.class) {
            return new Any();
        }
        if (type == Json.ObjectValue.class) {
            return new AnyObject();
        }
        if (type == RawJson.class) {
            return new Raw();
        }
        if (type instanceof Class<?> record && record.isRecord()) {
            return new Inner(record, reader);
        }
        throw new IllegalArgumentException("no way to write a " + type + " is agreed upon");
    }

    private static Json typed(String type) {
        return new Json.ObjectValue(Map.of("type", Json.of(type)));
    }

    private static Json typed(String type, String format) {
        return new Json.ObjectValue(Map.of("type", Json.of(type), "format", Json.of(format)));
    }

    record Text() implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (value instanceof Json.StringValue text && text.value().indexOf('\0') < 0) {
                return text.value();
            }
            throw RecordRefused.at(place, "is a string without NUL");
        }

        @Override
        public void write(Object value, StringBuilder out) {
            out.append(Json.of((String) value).canonical());
        }

        @Override
        public Json schema() {
            return typed("string");
        }
    }

    /**
     * A value with one text, such as a priority.
     *
     * @param all the values, if they can be listed
     */
    record Word<T>(Function<String, T> parse, Function<T, String> text, List<T> all) implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (!(value instanceof Json.StringValue word)) {
                throw RecordRefused.at(place, "is a string");
            }
            try {
                return parse.apply(word.value());
            } catch (IllegalArgumentException e) {
                throw RecordRefused.at(place, "cannot be understood: " + e.getMessage());
            }
        }

        @Override
        @SuppressWarnings("unchecked") // the value of a component has the type of the component
        public void write(Object value, StringBuilder out) {
            out.append(Json.of(text.apply((T) value)).canonical());
        }

        @Override
        public Json schema() {
            if (all.isEmpty()) {
                return typed("string");
            }
            Json words = new Json.ArrayValue(
                    all.stream().<Json>map(each -> Json.of(text.apply(each))).toList());
            return new Json.ObjectValue(Map.of("type", Json.of("string"), "enum", words));
        }
    }

    record Whole(boolean isLong, long least) implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (value instanceof Json.NumberValue number
                    && number.value() == Math.rint(number.value())
                    && Math.abs(number.value()) <= Json.NumberValue.LARGEST_EXACT_INTEGER
                    && number.value() >= least) {
                long whole = (long) number.value();
                if (isLong) {
                    return whole;
                }
                if (whole == (int) whole) {
                    return (int) whole;
                }
            }
            throw RecordRefused.at(place, "is a whole number");
        }

        @Override
        public void write(Object value, StringBuilder out) {
            out.append(((Number) value).longValue());
        }

        @Override
        public Json schema() {
            return typed("integer");
        }
    }

    record Flag() implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (value instanceof Json.BooleanValue flag) {
                return flag.value();
            }
            throw RecordRefused.at(place, "is true or false");
        }

        @Override
        public void write(Object value, StringBuilder out) {
            out.append((boolean) value);
        }

        @Override
        public Json schema() {
            return typed("boolean");
        }
    }

    /** RFC 3339 in UTC. Years have four digits, so that no moment is too far away for arithmetic. */
    record Time() implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (value instanceof Json.StringValue text
                    && text.value().endsWith("Z")
                    && Character.isDigit(text.value().charAt(0))) {
                try {
                    return Timestamps.parse(text.value());
                } catch (DateTimeException e) {
                    throw RecordRefused.at(place, "is a time such as 2030-01-31T12:00:00Z");
                }
            }
            throw RecordRefused.at(place, "is a time such as 2030-01-31T12:00:00Z");
        }

        @Override
        public void write(Object value, StringBuilder out) {
            out.append('"').append(value).append('"');
        }

        @Override
        public Json schema() {
            return typed("string", "date-time");
        }
    }

    record Id() implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (value instanceof Json.StringValue text) {
                return Ids.parse(text.value()).orElseThrow(() -> RecordRefused.at(place, "is an id"));
            }
            throw RecordRefused.at(place, "is an id");
        }

        @Override
        public void write(Object value, StringBuilder out) {
            out.append('"').append(value).append('"');
        }

        @Override
        public Json schema() {
            return typed("string", "uuid");
        }
    }

    record Any() implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            return value;
        }

        @Override
        public void write(Object value, StringBuilder out) {
            out.append(((Json) value).canonical());
        }

        @Override
        public Json schema() {
            return Json.of(true);
        }

        @Override
        public boolean takesNull() {
            return true;
        }
    }

    record AnyObject() implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (value instanceof Json.ObjectValue object) {
                return object;
            }
            throw RecordRefused.at(place, "is an object");
        }

        @Override
        public void write(Object value, StringBuilder out) {
            out.append(((Json) value).canonical());
        }

        @Override
        public Json schema() {
            return typed("object");
        }
    }

    record Raw() implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            return RawJson.of(value);
        }

        @Override
        public boolean takesNull() {
            return true;
        }

        @Override
        public void write(Object value, StringBuilder out) {
            out.append(((RawJson) value).text());
        }

        @Override
        public Json schema() {
            return Json.of(true);
        }
    }

    /** An object of strings, such as the attributes of a job. */
    record Words() implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (!(value instanceof Json.ObjectValue object)) {
                throw RecordRefused.at(place, "is an object");
            }
            Map<String, String> words = new TreeMap<>();
            object.members().forEach((name, member) -> {
                if (!(member instanceof Json.StringValue text)) {
                    throw RecordRefused.at(place + "/" + name, "is a string");
                }
                words.put(name, text.value());
            });
            return Map.copyOf(words);
        }

        @Override
        public void write(Object value, StringBuilder out) {
            Map<String, Json> members = new TreeMap<>();
            ((Map<?, ?>) value).forEach((name, word) -> members.put((String) name, Json.of((String) word)));
            out.append(new Json.ObjectValue(members).canonical());
        }

        @Override
        public Json schema() {
            return typed("object");
        }

        @Override
        public Object whenMissing() {
            return Map.of();
        }
    }

    record Many(FieldBinding element) implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (!(value instanceof Json.ArrayValue array)) {
                throw RecordRefused.at(place, "is an array");
            }
            List<Object> read = new ArrayList<>(array.elements().size());
            for (int i = 0; i < array.elements().size(); i++) {
                read.add(element.read(array.elements().get(i), place + "/" + i));
            }
            return List.copyOf(read);
        }

        @Override
        public void write(Object value, StringBuilder out) {
            out.append('[');
            String separator = "";
            for (Object each : (List<?>) value) {
                out.append(separator);
                element.write(each, out);
                separator = ",";
            }
            out.append(']');
        }

        @Override
        public Json schema() {
            return new Json.ObjectValue(Map.of("type", Json.of("array"), "items", element.schema()));
        }
    }

    record OnTrial(FieldBinding inner) implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            try {
                return new Tried<>(inner.read(value, place), null);
            } catch (RecordRefused malformed) {
                return new Tried<>(null, malformed.getMessage());
            }
        }

        @Override
        public void write(Object value, StringBuilder out) {
            inner.write(Objects.requireNonNull(((Tried<?>) value).value(), "only a whole element is sent"), out);
        }

        @Override
        public Json schema() {
            return inner.schema();
        }
    }

    record Inner(Class<?> record, Reader reader) implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            return RecordBinding.of(record, reader).read(value, place);
        }

        @Override
        public void write(Object value, StringBuilder out) {
            RecordBinding.of(record).write(value, out);
        }

        @Override
        public Json schema() {
            return RecordBinding.of(record).schema();
        }
    }
}
