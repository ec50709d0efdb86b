package dev.tallystick.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.stream.IntStream;

/** The actual main class of a {@link ChildJvm}: runs the given main class, and halts when its parent is gone. */
final class ChildMain {

    /** The exit code of a JVM whose parent is gone. */
    static final int ORPHANED = 87;

    /** Not on the command line, which every user of the machine can read: a JDBC URL may contain a password. */
    private static final String ARGUMENT = "TALLY_CHILD_ARGUMENT_";

    static void passArguments(String[] arguments, Map<String, String> environment) {
        environment.keySet().removeIf(name -> name.startsWith(ARGUMENT));
        for (int i = 0; i < arguments.length; i++) {
            environment.put(ARGUMENT + i, arguments[i]);
        }
    }

    private static String[] passedArguments(Map<String, String> environment) {
        return IntStream.iterate(0, i -> environment.containsKey(ARGUMENT + i), i -> i + 1)
                .mapToObj(i -> environment.get(ARGUMENT + i))
                .toArray(String[]::new);
    }

    public static void main(String[] mainClass) throws Throwable {
        Thread.ofPlatform().daemon().name("parent watch").start(() -> haltAtTheEndOf(System.in));
        Method main = Class.forName(mainClass[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) passedArguments(System.getenv()));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static void haltAtTheEndOf(InputStream input) {
        try {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException gone) {
            // A failed read also means that the input has ended.
        }
        Runtime.getRuntime().halt(ORPHANED);
    }

    private ChildMain() {}
}
