package dev.tallystick.client;

import dev.tallystick.core.Json;
import java.time.DateTimeException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The members of an object that a server has sent. One that is not as it ought to be is no answer of ours. */
record Fields(Json.ObjectValue object) {

    static Fields of(Json json) {
        if (json instanceof Json.ObjectValue object) {
            return new Fields(object);
        }
        throw new IllegalStateException("the server's answer has something else where an object belongs");
    }

    String text(String name) {
        return text(name, Function.identity());
    }

    <T> T text(String name, Function<String, T> reading) {
        T value = textIfThere(name, reading);
        if (value == null) {
            throw missing("text", name);
        }
        return value;
    }

    @Nullable
    String textIfThere(String name) {
        return textIfThere(name, Function.identity());
    }

    <T> @Nullable T textIfThere(String name, Function<String, T> reading) {
        if (!(object.members().get(name) instanceof Json.StringValue text)) {
            return null;
        }
        try {
            return reading.apply(text.value());
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new IllegalStateException("the server's answer has a '" + name + "' that is none", e);
        }
    }

    long number(String name) {
        if (object.members().get(name) instanceof Json.NumberValue number) {
            return (long) number.value();
        }
        throw missing("number", name);
    }

    boolean flag(String name) {
        return object.members().get(name) instanceof Json.BooleanValue flag && flag.value();
    }

    /** What is not said is so: earlier servers do not speak of it. */
    boolean flagUnlessDenied(String name) {
        return !(object.members().get(name) instanceof Json.BooleanValue flag) || flag.value();
    }

    /** Whatever is there; JSON's null if nothing is. */
    Json json(String name) {
        Json value = jsonIfThere(name);
        return value == null ? Json.ofNull() : value;
    }

    @Nullable
    Json jsonIfThere(String name) {
        return object.members().get(name);
    }

    <T> @Nullable T objectIfThere(String name, Function<Fields, T> reading) {
        return object.members().get(name) instanceof Json.ObjectValue there ? reading.apply(new Fields(there)) : null;
    }

    Fields fields(String name) {
        return of(json(name));
    }

    <T> List<T> list(String name, Function<Fields, T> reading) {
        return elements(name).stream()
                .map(element -> reading.apply(of(element)))
                .toList();
    }

    List<String> texts(String name) {
        return elements(name).stream().map(element -> word(name, element)).toList();
    }

    private List<Json> elements(String name) {
        if (object.members().get(name) instanceof Json.ArrayValue array) {
            return array.elements();
        }
        throw missing("list", name);
    }

    private static String word(String name, Json element) {
        if (element instanceof Json.StringValue text) {
            return text.value();
        }
        throw missing("list of texts", name);
    }

    private static IllegalStateException missing(String kind, String name) {
        return new IllegalStateException("the server's answer has no " + kind + " '" + name + "'");
    }
}
