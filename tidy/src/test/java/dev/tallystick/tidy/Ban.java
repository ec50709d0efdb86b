package dev.tallystick.tidy;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What compiled main code does not touch. Seen in the class files, so neither an import nor a method reference hides it.
 *
 * @param instead what to do instead
 * @param exempt the modules in which it is allowed
 * @param banned what finds it
 * @param planted expressions that break the ban, and that it must find
 */
record Ban(String instead, Set<Module> exempt, Predicate<JavaAccess<?>> banned, List<String> planted) {

    static List<Ban> all() {
        return List.of(CLOCK, RANDOM, RANDOM_ID, SLEEP, STACK_TRACE, CONSOLE, JDK_LOGGING);
    }

    private static final Ban CLOCK = new Ban(
            "take a Clock or an InstantSource",
            Set.of(),
            Ban::readsTheClock,
            List.of(
                    "java.time.Instant.now()",
                    "java.time.LocalDateTime.now()",
                    "java.time.LocalDate.now(java.time.ZoneOffset.UTC)",
                    "System.currentTimeMillis()",
                    "new java.util.Date()",
                    "java.util.stream.Stream.generate(java.time.Instant::now)"));

    // Secrets come from SecureRandom; all else must be repeatable from a seed.
    private static final Ban RANDOM = new Ban(
            "take a RandomGenerator",
            Set.of(Module.BENCH),
            Ban::drawsWithoutSeed,
            List.of("Math.random()", "new java.util.Random()", "java.util.concurrent.ThreadLocalRandom.current()"));

    // The embedded Postgres needs folder names that are unique.
    private static final Ban RANDOM_ID = new Ban(
            "derive an identity from what it identifies, so that a retry has the same one",
            Set.of(Module.POSTGRES),
            access -> touches(access, "java.util.UUID", "randomUUID"),
            List.of("java.util.UUID.randomUUID()"));

    private static final Ban SLEEP = new Ban(
            "wait for a signal, with a time limit",
            Set.of(),
            access -> touches(access, "java.lang.Thread", "sleep")
                    || touches(access, "java.util.concurrent.TimeUnit", "sleep"),
            List.of(
                    "new Object() { void nap() throws Exception { Thread.sleep(1); } }",
                    "new Object() { void nap() throws Exception { java.util.concurrent.TimeUnit.DAYS.sleep(1); } }"));

    private static final Ban STACK_TRACE = new Ban(
            "throw, or log together with the exception",
            Set.of(),
            access -> access.getName().equals("printStackTrace"),
            List.of("new Object() { void tell(Exception e) { e.printStackTrace(); } }"));

    private static final Ban CONSOLE = new Ban(
            "log; printing is for programs that people start",
            Set.of(Module.CLI, Module.BENCH),
            access -> touches(access, "java.lang.System", "out") || touches(access, "java.lang.System", "err"),
            List.of("System.out", "System.err"));

    private static final Ban JDK_LOGGING = new Ban(
            "log through slf4j",
            Set.of(),
            access -> access.getTargetOwner().getPackageName().equals("java.util.logging"),
            List.of("java.util.logging.Logger.getLogger(\"\")"));

    boolean forbids(Module module, JavaAccess<?> access) {
        return !exempt.contains(module) && banned.test(access);
    }

    @Override
    public String toString() {
        return instead;
    }

    private static boolean readsTheClock(JavaAccess<?> access) {
        boolean now = access.getTargetOwner().getPackageName().equals("java.time")
                && access.getName().equals("now")
                && !takes(access, "java.time.Clock");
        return now
                || touches(access, "java.lang.System", "currentTimeMillis")
                || (touches(access, "java.util.Date", "<init>") && takesNothing(access))
                || touches(access, "java.util.Calendar", "getInstance");
    }

    private static boolean drawsWithoutSeed(JavaAccess<?> access) {
        return touches(access, "java.lang.Math", "random")
                || (touches(access, "java.util.Random", "<init>") && takesNothing(access))
                || touches(access, "java.util.concurrent.ThreadLocalRandom", "current");
    }

    private static boolean touches(JavaAccess<?> access, String owner, String member) {
        return access.getTargetOwner().getName().equals(owner)
                && access.getName().equals(member);
    }

    private static boolean takes(JavaAccess<?> access, String type) {
        return access.getTarget() instanceof CodeUnitAccessTarget target
                && target.getRawParameterTypes().stream()
                        .anyMatch(parameter -> parameter.getName().equals(type));
    }

    private static boolean takesNothing(JavaAccess<?> access) {
        return access.getTarget() instanceof CodeUnitAccessTarget target
                && target.getRawParameterTypes().isEmpty();
    }
}
