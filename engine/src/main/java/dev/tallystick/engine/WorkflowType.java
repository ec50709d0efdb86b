package dev.tallystick.engine;

import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A workflow that can be run here.
 *
 * @param version jobs stay with the version that they were begun with; several may be registered side by side
 * @param bodies makes the body of each run anew, so that no state leaks from one run into the next
 */
public record WorkflowType<I extends @Nullable Object, O extends @Nullable Object>(
        String name, int version, Type input, Type output, Supplier<? extends Workflow<I, O>> bodies) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}");

    public WorkflowType {
        checkName(name).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
        if (version < 1) {
            throw new IllegalArgumentException("versions are counted from 1, got " + version);
        }
    }

    /** What is wrong with the name of a workflow, if anything is. */
    static Optional<String> checkName(String name) {
        return NAME.matcher(name).matches()
                ? Optional.empty()
                : Optional.of(
                        "a workflow's name has up to 100 letters, digits, '_', '.' or '-' and begins with one of the first"
                                + " two; got '" + name + "'");
    }

    /** For a lambda, which does not tell its types. */
    public static <I extends @Nullable Object, O extends @Nullable Object> WorkflowType<I, O> of(
            String name, Class<I> input, Class<O> output, Workflow<I, O> body) {
        return new WorkflowType<>(name, 1, input, output, () -> body);
    }

    /** For a class that implements {@link Workflow} with its types spelled out, and can be made without arguments. */
    public static WorkflowType<?, ?> of(String name, Class<? extends Workflow<?, ?>> type) {
        for (Type implemented : type.getGenericInterfaces()) {
            if (implemented instanceof ParameterizedType parameterized
                    && parameterized.getRawType() == Workflow.class) {
                Type[] types = parameterized.getActualTypeArguments();
                Constructor<? extends Workflow<?, ?>> constructor = constructorOf(type);
                return new WorkflowType<>(name, 1, types[0], types[1], () -> instance(constructor));
            }
        }
        throw new IllegalArgumentException(
                type.getName() + " must implement Workflow<Input, Output> itself, with its types");
    }

    public WorkflowType<I, O> version(int number) {
        return new WorkflowType<>(name, number, input, output, bodies);
    }

    private static Constructor<? extends Workflow<?, ?>> constructorOf(Class<? extends Workflow<?, ?>> type) {
        try {
            Constructor<? extends Workflow<?, ?>> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(
                    type.getName() + " needs a constructor without arguments; or register a lambda that makes it", e);
        }
    }

    @SuppressWarnings("unchecked") // the record's types come from the same class
    private static <I extends @Nullable Object, O extends @Nullable Object> Workflow<I, O> instance(
            Constructor<? extends Workflow<?, ?>> constructor) {
        try {
            return (Workflow<I, O>) constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the constructor of " + constructor.getDeclaringClass() + " failed", e);
        }
    }
}
