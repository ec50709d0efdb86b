package dev.tallystick.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * JUnit extension, {@code @ExtendWith(Seeded.class)}: injects a {@link Randomness} into tests with such a parameter, and adds
 * the seed to the message when the test fails.
 */
public final class Seeded implements ParameterResolver, TestExecutionExceptionHandler {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Randomness.class;
    }

    @Override
    public Randomness resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return store(context).computeIfAbsent(Randomness.class, absent -> Randomness.fresh(), Randomness.class);
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        Randomness random = store(context).get(Randomness.class, Randomness.class);
        if (random == null || failure instanceof TestAbortedException) {
            throw failure;
        }
        throw random.named(failure);
    }

    private static Store store(ExtensionContext context) {
        return context.getStore(Namespace.create(Seeded.class));
    }
}
