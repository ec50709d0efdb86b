package dev.tallystick.cli.command;

import dev.tallystick.core.Json;
import java.io.PrintWriter;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Common to all commands: run, answer in text or JSON, and return an exit code. Help lists options as they are declared. */
@Command(sortOptions = false)
public abstract class TallyCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    public abstract ExitCode run() throws Exception;

    @Override
    public final Integer call() throws Exception {
        return run().code();
    }

    /**
     * Prints the text or the fields, as requested. The fields keep their order.
     *
     * @return the exit code of a command that needs to say no more
     */
    public final ExitCode answer(String text, SequencedMap<String, Json> fields) {
        return print(root().wantsJson() ? object(fields) : text);
    }

    /** Prints progress on standard error; not part of the answer. */
    public final void progress(String text) {
        if (Logs.areForPrograms(environment())) {
            LoggerFactory.getLogger(Logs.OF_COMMANDS).info(text);
            return;
        }
        PrintWriter err = spec.root().commandLine().getErr();
        err.println(text);
        err.flush();
    }

    /** Shows the progress of a long command, unless the output is for a program. */
    public final ProgressBar progressBar() {
        PrintWriter err = spec.root().commandLine().getErr();
        return root().wantsJson() ? ProgressBar.silent() : ProgressBar.onErrorOutput(err);
    }

    /** Prints a document that is the same in text and in JSON mode. */
    public final ExitCode print(String document) {
        spec.root().commandLine().getOut().println(document);
        return ExitCode.OK;
    }

    /** The process's environment variables. */
    public final Map<String, String> environment() {
        return root().environment();
    }

    /** Such as {@code tally job}. */
    final String fullName() {
        return spec.qualifiedName();
    }

    /** The class whose {@code main} runs this command. */
    public final String mainClass() {
        return spec.root().userObject().getClass().getName();
    }

    private RootCommand root() {
        return (RootCommand) spec.root().userObject();
    }

    public static String object(SequencedMap<String, Json> fields) {
        return fields.entrySet().stream()
                .map(field -> Json.of(field.getKey()).canonical() + ":"
                        + field.getValue().canonical())
                .collect(Collectors.joining(",", "{", "}"));
    }
}
