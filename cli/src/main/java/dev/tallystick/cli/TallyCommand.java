package dev.tallystick.cli;

import dev.tallystick.core.Json;
import java.io.PrintWriter;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What every command has in common: it runs, answers in text or JSON, and ends with an exit code. */
abstract class TallyCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private CommandSpec spec;

    abstract ExitCode run() throws Exception;

    @Override
    public final Integer call() throws Exception {
        return run().code();
    }

    /** Prints the one that was asked for. The fields keep their order. */
    final void answer(String text, SequencedMap<String, Json> fields) {
        Tally tally = (Tally) spec.root().userObject();
        PrintWriter out = spec.root().commandLine().getOut();
        out.println(tally.wantsJson() ? object(fields) : text);
    }

    /** Says what is going on, to whoever watches; not part of the answer. */
    final void progress(String text) {
        if (Logs.areForPrograms(environment())) {
            LoggerFactory.getLogger(Logs.OF_COMMANDS).info(text);
            return;
        }
        PrintWriter err = spec.root().commandLine().getErr();
        err.println(text);
        err.flush();
    }

    /** Shows how far a long command has come, unless it answers a program. */
    final ProgressBar progressBar() {
        Tally tally = (Tally) spec.root().userObject();
        PrintWriter err = spec.root().commandLine().getErr();
        return tally.wantsJson() ? ProgressBar.silent() : ProgressBar.onErrorOutput(err);
    }

    /** Prints a document that is the same whatever was asked for. */
    final void print(String document) {
        spec.root().commandLine().getOut().println(document);
    }

    /** What the process was started with. */
    final Map<String, String> environment() {
        return ((Tally) spec.root().userObject()).environment();
    }

    static String object(SequencedMap<String, Json> fields) {
        return fields.entrySet().stream()
                .map(field -> Json.of(field.getKey()).canonical() + ":"
                        + field.getValue().canonical())
                .collect(Collectors.joining(",", "{", "}"));
    }
}
