package dev.tallystick.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The examples in help texts. A subcommand without examples shows those of its group that call it. */
final class Examples {

    private static final String HEADING = "%nExamples:%n";

    static void passOn(CommandLine group) {
        for (CommandLine command : group.getSubcommands().values()) {
            UsageMessageSpec help = command.getCommandSpec().usageMessage();
            String[] examples = about(command, group);
            if (help.footer().length == 0 && examples.length > 0) {
                help.footerHeading(HEADING).footer(examples);
            }
            passOn(command);
        }
    }

    /** The lines that begin with the command, each with its continuation lines. */
    private static String[] about(CommandLine command, CommandLine group) {
        String begin = "  " + command.getCommandSpec().qualifiedName() + " ";
        List<String> lines = new ArrayList<>();
        boolean goesOn = false;
        for (String line : group.getCommandSpec().usageMessage().footer()) {
            if (goesOn || (line + " ").startsWith(begin)) {
                lines.add(line);
                goesOn = line.endsWith("\\");
            }
        }
        return lines.toArray(String[]::new);
    }

    private Examples() {}
}
