package dev.tallystick.workflow;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A type with its type arguments, which a {@code Class} cannot name:
 *
 * <pre>{@code
 * List<Order> orders = ctx.step("orders", new GenericType<List<Order>>() {}, () -> shop.orders());
 * }</pre>
 *
 * @param <T> the type
 */
public abstract class GenericType<T extends @Nullable Object> {

    private final Type type;

    public GenericType() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType parent)) {
            throw new IllegalArgumentException(
                    "a generic type is made with its type arguments: new GenericType<List<Order>>() {}");
        }
        this.type = parent.getActualTypeArguments()[0];
        if (!isKnown(type)) {
            throw new IllegalArgumentException(
                    type + " is not known at run time: spell it out, as in new GenericType<List<Order>>() {}");
        }
    }

    private GenericType(Type type) {
        this.type = type;
    }

    static <T extends @Nullable Object> GenericType<T> of(Class<T> type) {
        return new GenericType<>(type) {};
    }

    /** The type to pass to {@link Codec#decode}. */
    public final Type type() {
        return type;
    }

    private static boolean isKnown(Type type) {
        return switch (type) {
            case TypeVariable<?> variable -> false;
            case ParameterizedType generic ->
                Stream.of(generic.getActualTypeArguments()).allMatch(GenericType::isKnown);
            case GenericArrayType array -> isKnown(array.getGenericComponentType());
            case WildcardType wildcard ->
                Stream.of(wildcard.getUpperBounds()).allMatch(GenericType::isKnown)
                        && Stream.of(wildcard.getLowerBounds()).allMatch(GenericType::isKnown);
            default -> true;
        };
    }

    @Override
    public final String toString() {
        return type.getTypeName();
    }
}
