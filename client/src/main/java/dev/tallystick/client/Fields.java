package dev.tallystick.client;

import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.Json;
import java.time.DateTimeException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The members of a JSON object from a server. A missing or invalid member makes the whole answer a {@link ForeignAnswer}.
 */
record Fields(Json.ObjectValue object) {

    /** The largest integer that is exact in JSON. */
    private static final double LARGEST_INTEGER = Json.NumberValue.LARGEST_EXACT_INTEGER;

    static Fields of(Json json) {
        if (json instanceof Json.ObjectValue object) {
            return new Fields(object);
        }
        throw new ForeignAnswer("it has something else where an object belongs");
    }

    String text(String name) {
        return text(name, Function.identity());
    }

    <T> T text(String name, Function<String, T> reading) {
        T value = optionalText(name, reading);
        if (value == null) {
            throw missing("text", name);
        }
        return value;
    }

    @Nullable
    String optionalText(String name) {
        return optionalText(name, Function.identity());
    }

    <T> @Nullable T optionalText(String name, Function<String, T> reading) {
        return switch (object.members().get(name)) {
            case null -> null;
            case Json.NullValue nothing -> null;
            case Json.StringValue text -> understood(name, () -> reading.apply(text.value()));
            default -> throw missing("text", name);
        };
    }

    long number(String name) {
        if (object.members().get(name) instanceof Json.NumberValue number
                && number.value() == Math.rint(number.value())
                && Math.abs(number.value()) <= LARGEST_INTEGER) {
            return (long) number.value();
        }
        throw missing("integer", name);
    }

    /** From 0 to the maximum of an {@code int}. */
    int count(String name) {
        return (int) number(name, 0, Integer.MAX_VALUE);
    }

    long number(String name, long least, long most) {
        long number = number(name);
        if (number < least || number > most) {
            throw new ForeignAnswer("its '" + name + "' is " + number + ", not between " + least + " and " + most);
        }
        return number;
    }

    boolean flag(String name) {
        if (object.members().get(name) instanceof Json.BooleanValue flag) {
            return flag.value();
        }
        throw missing("true or false", name);
    }

    /** Checks that the answer names the subject of the request. */
    Fields about(String name, Object expected) {
        if (!text(name).equals(expected.toString())) {
            throw new ForeignAnswer("its '" + name + "' is not '" + expected + "'");
        }
        return this;
    }

    @Nullable
    Json jsonIfThere(String name) {
        return object.members().get(name);
    }

    private static <T> T understood(String name, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new ForeignAnswer("its '" + name + "' cannot be understood", e);
        }
    }

    private static ForeignAnswer missing(String kind, String name) {
        return new ForeignAnswer("it has no " + kind + " '" + name + "'");
    }
}
