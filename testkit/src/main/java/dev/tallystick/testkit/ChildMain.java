package dev.tallystick.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** What a {@link ChildJvm} really starts: runs the main class it is given, and halts when its parent is gone. */
final class ChildMain {

    /** What a JVM exits with that found its parent gone. */
    static final int ORPHANED = 87;

    public static void main(String[] arguments) throws Throwable {
        Thread.ofPlatform().daemon().name("parent watch").start(() -> haltAtTheEndOf(System.in));
        Method main = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static void haltAtTheEndOf(InputStream input) {
        try {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException gone) {
            // No less an end of the input than the end itself.
        }
        Runtime.getRuntime().halt(ORPHANED);
    }

    private ChildMain() {}
}
