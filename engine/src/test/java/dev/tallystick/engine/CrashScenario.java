package dev.tallystick.engine;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A code workflow for each thing that code can do. */
enum CrashScenario implements Scenario {
    STEPS("123", 3) {
        @Override
        String body(Context ctx, String name) {
            String one = ctx.step("one", String.class, () -> "1");
            String two = ctx.step("two", String.class, () -> one + "2");
            return ctx.step("three", String.class, () -> two + "3");
        }
    },
    RETRY("at last", 1) {
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
    ALL("left right", 4) {
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
    ANY("slept") {
        @Override
        String body(Context ctx, String name) {
            return ctx.any(String.class, List.of(branch -> branch.await("never", String.class), branch -> {
                branch.sleep(Duration.ofMillis(20));
                return "slept";
            }));
        }
    },
    SLEEP("before after", 3) {
        @Override
        String body(Context ctx, String name) {
            String before = ctx.step("before", String.class, () -> "before");
            ctx.sleep(Duration.ofMillis(20));
            return ctx.step("after", String.class, () -> before + " after");
        }
    },
    SIGNAL("got it", 2) {
        @Override
        String body(Context ctx, String name) {
            String got = ctx.await("go", String.class);
            return ctx.step("after", String.class, () -> "got " + got);
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.signal(job, "go", "sender", "\"it\"".getBytes(StandardCharsets.UTF_8))
                    .join();
        }
    },
    CHILD("from child", 1) {
        @Override
        String body(Context ctx, String name) {
            return ctx.child(name + "-child", "", String.class);
        }
    },
    TRANSACTION("paid", 2) {
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
    FAILURE(null, 1) {
        @Override
        String body(Context ctx, String name) {
            return ctx.step("doomed", String.class, Retry.NONE, () -> {
                throw new IllegalStateException("no money");
            });
        }
    },
    CANCEL(null) {
        @Override
        String body(Context ctx, String name) {
            ctx.step("begun", String.class, () -> "");
            return ctx.await("never", String.class);
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.cancel(job);
        }
    },
    /** Counts down, a job for each number; the signal comes to the first and is taken by the last. */
    CONTINUE("2 1 0") {
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
            engine.signal(job, "go", "sender", "\"\"".getBytes(StandardCharsets.UTF_8))
                    .join();
        }

        @Override
        public int jobs() {
            return 3;
        }
    },
    UNDO(null, 8) {
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
    CANCEL_AND_UNDO(null) {
        @Override
        String body(Context ctx, String name) {
            ctx.undo("release", () -> {});
            ctx.step("reserve", String.class, () -> "");
            return ctx.await("never", String.class);
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.cancel(job);
        }
    },
    TIMEOUT(null) {
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

    /** How many activities the job has in the end, beside its body; negative if that depends on who is quicker. */
    private final int activities;

    CrashScenario(@Nullable String result) {
        this(result, -1);
    }

    CrashScenario(@Nullable String result, int activities) {
        this.result = result;
        this.activities = activities;
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
        return this == CHILD ? 1 : 0;
    }

    @Override
    public int effects() {
        return this == TRANSACTION ? 1 : 0;
    }

    @Override
    public boolean leaves(List<? extends String> places) {
        return activities < 0 || places.size() == activities + 1;
    }
}
