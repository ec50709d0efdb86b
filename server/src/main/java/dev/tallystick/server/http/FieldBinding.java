package dev.tallystick.server.http;

import dev.tallystick.core.Json;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** How one kind of value is written in a request or an answer. */
sealed interface FieldBinding {

    Object read(Json value, String place);

    void write(Object value, StringBuilder out);

    Json schema();

    /** Whether a JSON null is a value of this kind, and not a missing one. */
    default boolean takesNull() {
        return false;
    }

    static FieldBinding of(Type type) {
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            return new Many(of(list.getActualTypeArguments()[0]));
        }
        if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            return new Whole(type == long.class || type == Long.class);
        }
        if (type == boolean.class || type == Boolean.class) {
            return new Flag();
        }
        if (type == String.class) {
            return new Text();
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
            return new Inner(record);
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
            throw RecordBinding.malformed(place, "is a string without NUL");
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

    record Whole(boolean isLong) implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (value instanceof Json.NumberValue number && number.value() == Math.rint(number.value())) {
                long whole = (long) number.value();
                if (isLong) {
                    return whole;
                }
                if (whole == (int) whole) {
                    return (int) whole;
                }
            }
            throw RecordBinding.malformed(place, "is a whole number");
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
            throw RecordBinding.malformed(place, "is true or false");
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
                    return Instant.parse(text.value());
                } catch (DateTimeException e) {
                    throw RecordBinding.malformed(place, "is a time such as 2030-01-31T12:00:00Z");
                }
            }
            throw RecordBinding.malformed(place, "is a time such as 2030-01-31T12:00:00Z");
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
                return Call.idOf(text.value()).orElseThrow(() -> RecordBinding.malformed(place, "is an id"));
            }
            throw RecordBinding.malformed(place, "is an id");
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
            throw RecordBinding.malformed(place, "is an object");
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

    /** Written only. */
    record Raw() implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            return new RawJson(value.canonical());
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

    record Many(FieldBinding element) implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            if (!(value instanceof Json.ArrayValue array)) {
                throw RecordBinding.malformed(place, "is an array");
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

    record Inner(Class<?> record) implements FieldBinding {

        @Override
        public Object read(Json value, String place) {
            return RecordBinding.of(record).read(value, place);
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
