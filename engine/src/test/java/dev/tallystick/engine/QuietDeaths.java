package dev.tallystick.engine;

import dev.tallystick.testkit.SimulatedCrash;
import java.lang.Thread.UncaughtExceptionHandler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** JUnit extension: threads that die of a crash which a test wanted do not say so. */
public final class QuietDeaths implements BeforeAllCallback, AfterAllCallback {

    private @Nullable UncaughtExceptionHandler before;

    @Override
    public void beforeAll(ExtensionContext context) {
        before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            if (!(thrown instanceof SimulatedCrash) && !(thrown.getCause() instanceof SimulatedCrash)) {
                thrown.printStackTrace();
            }
        });
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }
}
