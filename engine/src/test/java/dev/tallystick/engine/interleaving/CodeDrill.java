package dev.tallystick.engine.interleaving;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.TaskId;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Code workflows that continue after a race, ask people of one mesh, commit inside a transaction step, and nest steps. */
public final class CodeDrill {

    private final Workbench workbench;
    private final Consumer<Context> insideStep;
    private final List<String> violations = new ArrayList<>();
    private final Signal decided = new Signal("the race is decided");

    /** @param insideStep called inside a step, before that asks for something */
    public CodeDrill(DataSource source, Consumer<Context> insideStep) {
        this.workbench = new Workbench(source);
        this.insideStep = insideStep;
    }

    public List<String> violations() {
        workbench.workflow("race", this::race);
        workbench.workflow("asking", (ctx, input) -> ctx.task("ask", String.class, Ask.group("desk")));
        workbench.workflow("committing", CodeDrill::committing);
        workbench.workflow("nesting", this::nesting);
        try (workbench) {
            Engine engine = workbench.start();
            drillRace(engine);
            drillMesh(engine);
            drillMisuse(engine, "committing", "ended its transaction");
            drillMisuse(engine, "nesting", "inside step");
        }
        return violations;
    }

    private String race(Context ctx, String input) {
        ctx.any(String.class, List.of(branch -> branch.await("go", String.class), branch -> {
            branch.sleep(Duration.ofMillis(1));
            return "";
        }));
        ctx.step("decided", String.class, () -> {
            decided.fire();
            return "";
        });
        return ctx.await("end", String.class);
    }

    private static String committing(Context ctx, String input) {
        return ctx.transaction("commit", String.class, Retry.NONE, connection -> {
            try (Statement statement = connection.createStatement()) {
                // Not seen in the SQL, because the server reads quotes in its old way.
                statement.execute("set standard_conforming_strings = off");
                statement.execute("select '\\''; commit; --'");
            }
            return "";
        });
    }

    private String nesting(Context ctx, String input) {
        return ctx.step("outer", String.class, Retry.NONE, () -> {
            insideStep.accept(ctx);
            ctx.sleep(Duration.ofMillis(1));
            return "";
        });
    }

    private void drillRace(Engine engine) {
        JobId job = workbench.submit(engine, "race", "race");
        decided.await();
        workbench.signal(engine, job, "go");
        if (workbench.count("signal where taken_by is not null") > 0) {
            violations.add("a wait without a reader took a signal");
        }
        engine.cancel("default", job);
    }

    private void drillMesh(Engine engine) {
        JobId job = workbench.submit(engine, "asking", "asking");
        Eventually.holds("the task is asked", () -> workbench.count("task") == 1);
        TaskId task = engine.tasks().all("default", null, 1).getFirst().id();
        if (engine.tasks().find("other", task).isPresent()) {
            violations.add("a task was found from another mesh");
        }
        engine.cancel("default", job);
    }

    private void drillMisuse(Engine engine, String workflow, String refusal) {
        Closed closed = workbench.await(engine, workbench.submit(engine, workflow, workflow));
        if (!Objects.requireNonNullElse(closed.error(), "").contains(refusal)) {
            violations.add(workflow + " was accepted: " + closed);
        }
    }
}
