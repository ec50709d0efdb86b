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

/** Common to all commands: run, answer in text or JSON, and return an exit code. */
abstract class TallyCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private CommandSpec spec;

    abstract ExitCode run() throws Exception;

    @Override
    public final Integer call() throws Exception {
        return run().code();
    }

    /** Prints the text or the fields, as requested. The fields keep their order. */
    final void answer(String text, SequencedMap<String, Json> fields) {
        PrintWriter out = spec.root().commandLine().getOut();
        out.println(root().wantsJson() ? object(fields) : text);
    }

    /** Prints progress on standard error; not part of the answer. */
    final void progress(String text) {
        if (Logs.areForPrograms(environment())) {
            LoggerFactory.getLogger(Logs.OF_COMMANDS).info(text);
            return;
        }
        PrintWriter err = spec.root().commandLine().getErr();
        err.println(text);
        err.flush();
    }

    /** Shows the progress of a long command, unless the output is for a program. */
    final ProgressBar progressBar() {
        PrintWriter err = spec.root().commandLine().getErr();
        return root().wantsJson() ? ProgressBar.silent() : ProgressBar.onErrorOutput(err);
    }

    /** Prints a document that is the same in text and in JSON mode. */
    final void print(String document) {
        spec.root().commandLine().getOut().println(document);
    }

    /** The process's environment variables. */
    final Map<String, String> environment() {
        return root().environment();
    }

    private RootCommand root() {
        return (RootCommand) spec.root().userObject();
    }

    static String object(SequencedMap<String, Json> fields) {
        return fields.entrySet().stream()
                .map(field -> Json.of(field.getKey()).canonical() + ":"
                        + field.getValue().canonical())
                .collect(Collectors.joining(",", "{", "}"));
    }
}
