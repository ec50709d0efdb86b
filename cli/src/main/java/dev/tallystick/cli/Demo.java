package dev.tallystick.cli;

import dev.tallystick.JobHandle;
import dev.tallystick.Submit;
import dev.tallystick.Tallystick;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.workflow.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a three-step order in its own database and shows which steps are left after a crash. */
@Command(
        name = "demo",
        description = {
            "Run a three-step order on an embedded Postgres.",
            "Kill it at any point and run it again: recorded steps never run again."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally demo              # one order, from start to finish",
            "  tally demo --crash      # crashes in the second step",
            "  tally demo              # resumes where it crashed",
            "  tally demo --order 1    # the same key: the same job, the same answer",
        })
final class Demo extends TallyCommand {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration STEP = Duration.ofMillis(500);
    private static final int KILLED = 137;

    /** Short, so that a crash is resumed quickly. */
    private static final EngineSettings SETTINGS = EngineSettings.DEFAULT
            .lease(Duration.ofSeconds(2), Duration.ofMillis(500))
            .poll(Duration.ofMillis(100));

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where the demo keeps its database (default: ${DEFAULT-VALUE}).",
            defaultValue = ".tally/demo")
    private Path directory;

    @Option(
            names = "--order",
            paramLabel = "N",
            description = "The order; its key is demo:N (default: the first unfinished one).")
    private @Nullable Integer order;

    @Option(names = "--crash", description = "Crash in the second step, like kill -9.")
    private boolean crash;

    private final Set<String> ranHere = ConcurrentHashMap.newKeySet();

    @Override
    public ExitCode run() throws InterruptedException {
        progress("opening the database in " + directory + " …");
        try (Tallystick tally =
                Tallystick.builder().embedded(directory).settings(SETTINGS).build()) {
            tally.register("order", Integer.class, String.class, this::order);
            tally.start();
            JobHandle<String> job = order == null ? firstNotDone(tally) : submit(tally, order);
            progress(job.isDuplicate() ? "its key has a job already" : "its key is new");
            report(job, job.result(PATIENCE));
        }
        return ExitCode.OK;
    }

    private static JobHandle<String> firstNotDone(Tallystick tally) throws InterruptedException {
        for (int number = 1; ; number++) {
            JobHandle<String> job = submit(tally, number);
            if (job.outcome(Duration.ZERO).isEmpty()) {
                return job;
            }
        }
    }

    private static JobHandle<String> submit(Tallystick tally, int number) {
        return tally.submit("order", number, Submit.key("demo:" + number));
    }

    private String order(Context ctx, Integer number) {
        ctx.step("reserve", String.class, () -> work("reserve"));
        ctx.step("charge", String.class, () -> {
            if (crash) {
                progress("charge: dying in the middle of it; run the same command without --crash");
                Runtime.getRuntime().halt(KILLED);
            }
            return work("charge");
        });
        ctx.step("confirm", String.class, () -> work("confirm"));
        return "order " + number + " is confirmed";
    }

    private String work(String step) {
        ranHere.add(step);
        progress(step + ": working …");
        LockSupport.parkNanos(STEP.toNanos());
        return step + " done";
    }

    private void report(JobHandle<String> job, String result) {
        StringBuilder text = new StringBuilder();
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("job_id", Json.of(job.id().toString()));
        fields.put("duplicate", Json.of(job.isDuplicate()));
        for (String step : new String[] {"reserve", "charge", "confirm"}) {
            boolean here = ranHere.contains(step);
            text.append("%-8s %s%n".formatted(step, here ? "done in this run" : "recorded before, not done again"));
            fields.put(step + "_ran_here", Json.of(here));
        }
        fields.put("result", Json.of(result));
        answer(text + result, fields);
    }
}
