package dev.tallystick.workflow;

import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A workflow that can run here.
 *
 * @param version jobs keep the version that they began with; several versions may be registered at once
 * @param bodies creates a new body for each run, so that no state leaks from one run into the next
 * @param limit how many of its jobs run at once or start within a period; null for no limit
 */
public record WorkflowType<I extends @Nullable Object, O extends @Nullable Object>(
        String name,
        int version,
        Type input,
        Type output,
        Supplier<? extends Workflow<I, O>> bodies,
        @Nullable Limit<I> limit) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}");

    public WorkflowType {
        checkName(name).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
        if (version < 1) {
            throw new IllegalArgumentException("versions are counted from 1, got " + version);
        }
    }

    /** The problem with a workflow's name, if there is one. */
    public static Optional<String> checkName(String name) {
        return NAME.matcher(name).matches()
                ? Optional.empty()
                : Optional.of(
                        "a workflow's name has up to 100 letters, digits, '_', '.' or '-' and begins with one of the first"
                                + " two; got '" + name + "'");
    }

    /** For a lambda, whose types cannot be inferred. */
    public static <I extends @Nullable Object, O extends @Nullable Object> WorkflowType<I, O> of(
            String name, Class<I> input, Class<O> output, Workflow<I, O> body) {
        return of(name, GenericType.of(input), GenericType.of(output), body);
    }

    /** Like {@link #of(String, Class, Class, Workflow)}, for generic types. */
    public static <I extends @Nullable Object, O extends @Nullable Object> WorkflowType<I, O> of(
            String name, GenericType<I> input, GenericType<O> output, Workflow<I, O> body) {
        return new WorkflowType<>(name, 1, input.type(), output.type(), () -> body, null);
    }

    /** For a class that implements {@link Workflow} with explicit type arguments and has a no-argument constructor. */
    public static <I extends @Nullable Object, O extends @Nullable Object> WorkflowType<I, O> of(
            String name, Class<? extends Workflow<I, O>> type) {
        for (Type implemented : type.getGenericInterfaces()) {
            if (implemented instanceof ParameterizedType parameterized
                    && parameterized.getRawType() == Workflow.class) {
                Type[] types = parameterized.getActualTypeArguments();
                Constructor<? extends Workflow<I, O>> constructor = constructorOf(type);
                return new WorkflowType<>(name, 1, types[0], types[1], () -> instance(constructor), null);
            }
        }
        throw new IllegalArgumentException(
                type.getName() + " must implement Workflow<Input, Output> itself, with its types");
    }

    public WorkflowType<I, O> version(int number) {
        return new WorkflowType<>(name, number, input, output, bodies, limit);
    }

    /** Limits how many of its jobs run at once or start within a period. The limit of the newest version applies to all. */
    public WorkflowType<I, O> limit(Limit<I> most) {
        return new WorkflowType<>(name, version, input, output, bodies, most);
    }

    private static <W> Constructor<W> constructorOf(Class<W> type) {
        try {
            Constructor<W> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(
                    type.getName() + " needs a constructor without arguments; or register a lambda that makes it", e);
        }
    }

    private static <W> W instance(Constructor<W> constructor) {
        try {
            return constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the constructor of " + constructor.getDeclaringClass() + " failed", e);
        }
    }
}
