package dev.tallystick.engine.crash;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.WorkflowType;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A code workflow for each thing that code can do. */
enum CrashScenario implements Scenario {
    STEPS("123", " $main", "1 one", "2 two", "3 three") {
        @Override
        String body(Context ctx, String name) {
            String one = ctx.step("one", String.class, () -> "1");
            String two = ctx.step("two", String.class, () -> one + "2");
            return ctx.step("three", String.class, () -> two + "3");
        }
    },
    RETRY("at last", " $main", "1 flaky") {
        @Override
        String body(Context ctx, String name) {
            return ctx.step("flaky", String.class, QUICK, () -> {
                if (FAILED_ONCE.add(ctx.job())) {
                    throw new IllegalStateException("not yet");
                }
                return "at last";
            });
        }
    },
    ALL("left right", " $main", "1.1 $branch", "1.1.1 left", "1.2 $branch", "1.2.1 right") {
        @Override
        String body(Context ctx, String name) {
            return String.join(
                    " ",
                    ctx.all(
                            String.class,
                            List.of(
                                    branch -> branch.step("left", String.class, () -> "left"),
                                    branch -> branch.step("right", String.class, () -> "right"))));
        }
    },
    ANY("slept", " $main", "1 $any", "?1.1 $branch", "?1.1.1 $await:never", "1.2 $branch", "1.2.1 $sleep") {
        @Override
        String body(Context ctx, String name) {
            return ctx.any(String.class, List.of(branch -> branch.await("never", String.class), branch -> {
                branch.sleep(Duration.ofMillis(20));
                return "slept";
            }));
        }
    },
    /** Whichever branch comes first, the one signal that there is ends the job. */
    AFTER_A_RACE(
            "it",
            " $main",
            "1 $any",
            "?1.1 $branch",
            "?1.1.1 $await:go",
            "?1.2 $branch",
            "?1.2.1 $sleep",
            "?2 $await:go") {
        @Override
        String body(Context ctx, String name) {
            String first = ctx.any(String.class, List.of(branch -> branch.await("go", String.class), branch -> {
                branch.sleep(Duration.ofMillis(20));
                return "";
            }));
            return first.isEmpty() ? ctx.await("go", String.class) : first;
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.signal("default", job, "go", "sender", "\"it\"".getBytes(StandardCharsets.UTF_8))
                    .join();
        }
    },
    SLEEP("before after", " $main", "1 before", "2 $sleep", "3 after") {
        @Override
        String body(Context ctx, String name) {
            String before = ctx.step("before", String.class, () -> "before");
            ctx.sleep(Duration.ofMillis(20));
            return ctx.step("after", String.class, () -> before + " after");
        }
    },
    SIGNAL("got it", " $main", "1 $await:go", "2 after") {
        @Override
        String body(Context ctx, String name) {
            String got = ctx.await("go", String.class);
            return ctx.step("after", String.class, () -> "got " + got);
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.signal("default", job, "go", "sender", "\"it\"".getBytes(StandardCharsets.UTF_8))
                    .join();
        }
    },
    CHILD("from child", " $main", "1 $child:") {
        @Override
        String body(Context ctx, String name) {
            return ctx.child(name + "-child", "", String.class);
        }
    },
    /** Returns while its child is open, which is cancelled then. */
    LEFT_CHILD("it", " $main", "1 $any", "?1.1 $branch", "?1.1.1 $child:", "1.2 $branch", "1.2.1 $await:go") {
        @Override
        String body(Context ctx, String name) {
            return ctx.any(
                    String.class,
                    List.of(
                            branch -> branch.child(name + "-waiting", "", String.class),
                            branch -> branch.await("go", String.class)));
        }

        @Override
        public void register(Engine engine, String workflow) {
            super.register(engine, workflow);
            engine.register(WorkflowType.of(
                    workflow + "-waiting",
                    String.class,
                    String.class,
                    (ctx, input) -> ctx.await("never", String.class)));
        }

        @Override
        public void act(Engine engine, JobId job) {
            try {
                while (engine.await(job, Duration.ofMillis(20)).isEmpty() && !hasChild(engine, job)) {
                    Thread.onSpinWait();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            engine.signal("default", job, "go", "sender", "\"it\"".getBytes(StandardCharsets.UTF_8))
                    .join();
        }

        private boolean hasChild(Engine engine, JobId job) {
            return engine.why("default", job).waits().stream()
                    .anyMatch(wait -> wait.mover().matches("the end of its child job [0-9a-f-]+"));
        }
    },
    TRANSACTION("paid", " $main", "1 pay", "2 after") {
        @Override
        String body(Context ctx, String name) {
            String paid = ctx.transaction("pay", String.class, connection -> {
                try (PreparedStatement insert = connection.prepareStatement("insert into effect values (?)")) {
                    insert.setString(1, ctx.job().toString());
                    insert.executeUpdate();
                }
                return "paid";
            });
            return ctx.step("after", String.class, () -> paid);
        }
    },
    FAILURE(null, " $main", "1 doomed") {
        @Override
        String body(Context ctx, String name) {
            return ctx.step("doomed", String.class, Retry.NONE, () -> {
                throw new IllegalStateException("no money");
            });
        }
    },
    CANCEL(null, " $cancel", "? $main", "?1 begun", "?2 $await:never") {
        @Override
        String body(Context ctx, String name) {
            ctx.step("begun", String.class, () -> "");
            return ctx.await("never", String.class);
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.cancel("default", job);
        }
    },
    /** Counts down, a job for each number; the signal comes to the first and is taken by the last. */
    CONTINUE("2 1 0", " $main", "1 count") {
        @Override
        String body(Context ctx, String input) {
            String seen = ctx.step("count", String.class, () -> countDown(input));
            return seen.endsWith("0") ? seen + ctx.await("go", String.class) : ctx.continueAsNew(seen);
        }

        private String countDown(String input) {
            return input.equals("input") ? "2" : input + " " + (input.charAt(input.length() - 1) - '1');
        }

        @Override
        public void register(Engine engine, String workflow) {
            engine.register(WorkflowType.of(workflow, String.class, String.class, this::body));
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.signal("default", job, "go", "sender", "\"\"".getBytes(StandardCharsets.UTF_8))
                    .join();
        }

        @Override
        public int jobs() {
            return 3;
        }
    },
    UNDO(
            null,
            " $main",
            " $undo",
            "1 $undo:release",
            "2 reserve",
            "3 $undo:refund",
            "4 charge",
            "5 doomed",
            "undo.1 release",
            "undo.3 refund") {
        @Override
        String body(Context ctx, String name) {
            ctx.undo("release", () -> {});
            ctx.step("reserve", String.class, () -> "");
            ctx.undo("refund", () -> {});
            ctx.step("charge", String.class, () -> "");
            return ctx.step("doomed", String.class, Retry.NONE, () -> {
                throw new IllegalStateException("no parcel");
            });
        }
    },
    CANCEL_AND_UNDO(
            null,
            " $cancel",
            "? $main",
            "? $undo",
            "?1 $undo:release",
            "?2 reserve",
            "?3 $await:never",
            "?undo.1 release") {
        @Override
        String body(Context ctx, String name) {
            ctx.undo("release", () -> {});
            ctx.step("reserve", String.class, () -> "");
            return ctx.await("never", String.class);
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.cancel("default", job);
        }
    },
    TIMEOUT(null, "? $main", " $timeout", "?1 begun", "?2 $await:never") {
        @Override
        String body(Context ctx, String name) {
            ctx.step("begun", String.class, () -> "");
            return ctx.await("never", String.class);
        }

        @Override
        public Submission submission(Workbench workbench, String name) {
            return super.submission(workbench, name).timeout(Duration.ofMillis(100));
        }
    };

    private static final Retry QUICK = Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(5));
    private static final Set<JobId> FAILED_ONCE = ConcurrentHashMap.newKeySet();

    private final @Nullable String result;

    private final List<String> places;

    /** @param places path and name of every activity that is left; those with a '?' may be missing or open */
    CrashScenario(@Nullable String result, String... places) {
        this.result = result;
        this.places = List.of(places);
    }

    abstract String body(Context ctx, String name);

    @Override
    public void register(Engine engine, String workflow) {
        engine.register(WorkflowType.of(workflow, String.class, String.class, (ctx, input) -> body(ctx, workflow)));
        engine.register(WorkflowType.of(
                workflow + "-child",
                String.class,
                String.class,
                (ctx, input) -> ctx.step("work", String.class, () -> "from child")));
    }

    @Override
    public void act(Engine engine, JobId job) {}

    @Override
    public @Nullable String result() {
        return result;
    }

    @Override
    public JobOutcome outcome() {
        return switch (this) {
            case FAILURE, UNDO -> JobOutcome.FAILED;
            case CANCEL, CANCEL_AND_UNDO -> JobOutcome.CANCELLED;
            case TIMEOUT -> JobOutcome.TIMED_OUT;
            default -> JobOutcome.COMPLETED;
        };
    }

    @Override
    public int children() {
        return this == CHILD || this == LEFT_CHILD ? 1 : 0;
    }

    @Override
    public int effects() {
        return this == TRANSACTION ? 1 : 0;
    }

    @Override
    public JobOutcome childOutcome() {
        return this == LEFT_CHILD ? JobOutcome.CANCELLED : JobOutcome.COMPLETED;
    }

    @Override
    public boolean leaves(List<? extends String> left) {
        List<String> comparable = left.stream().map(CrashScenario::comparable).toList();
        return comparable.equals(places.stream()
                .filter(place -> !isOptional(place) || comparable.contains(place.substring(1)))
                .map(place -> isOptional(place) ? place.substring(1) : place)
                .toList());
    }

    @Override
    public boolean marks(List<? extends String> marked) {
        long closers = marked.stream().filter(line -> line.endsWith(" 1111")).count();
        return closers == 1 && marked.stream().allMatch(line -> line.matches(".* 111[01]") || mayBeOpen(line));
    }

    private boolean mayBeOpen(String line) {
        return line.endsWith(" 1000") && places.contains("?" + comparable(line.substring(0, line.length() - 5)));
    }

    private static boolean isOptional(String place) {
        return place.startsWith("?");
    }

    /** What a child is called is part of its name and differs from case to case. */
    private static String comparable(String place) {
        return place.replaceFirst("(\\$child:).*", "$1");
    }
}
