package dev.tallystick.cli;

import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Help texts that break lines only at spaces, and examples not at all, so that addresses and commands can be copied.
 *
 * <p>picocli breaks a line after any punctuation, as in {@code http://127.}, and has no setting for it. So punctuation within a
 * word stands as a character of the private use area, which is as wide and never ends a line, until the text is laid out.
 */
final class HelpText extends Help {

    private static final int COVER = 0xE000;

    /** Punctuation before another character, except what means something to picocli. */
    private static final Pattern WITHIN_WORD = Pattern.compile("[\\p{Punct}&&[^%@|$]](?=\\S)");

    private static final Pattern COVERED = Pattern.compile("[\\uE000-\\uE07F]");

    private HelpText(CommandSpec spec, ColorScheme colours) {
        super(spec, colours);
    }

    /** Applies to the command and all its subcommands. */
    static void apply(CommandLine command) {
        coverDescriptions(command);
        Map<String, IHelpSectionRenderer> sections = command.getHelpSectionMap();
        sections.replaceAll((name, section) -> help -> uncovered(section.render(help)));
        sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, HelpText::examples);
        command.setHelpSectionMap(sections).setHelpFactory(HelpText::new);
    }

    private static void coverDescriptions(CommandLine command) {
        UsageMessageSpec help = command.getCommandSpec().usageMessage();
        help.description(
                Arrays.stream(help.description()).map(HelpText::covered).toArray(String[]::new));
        command.getSubcommands().values().forEach(HelpText::coverDescriptions);
    }

    private static String examples(Help help) {
        return Arrays.stream(help.commandSpec().usageMessage().footer())
                .map(line -> line + System.lineSeparator())
                .reduce("", String::concat);
    }

    @Override
    public IOptionRenderer createDefaultOptionRenderer() {
        IOptionRenderer renderer = super.createDefaultOptionRenderer();
        return (option, label, colours) -> covered(renderer.render(option, label, colours));
    }

    @Override
    public IParameterRenderer createDefaultParameterRenderer() {
        IParameterRenderer renderer = super.createDefaultParameterRenderer();
        return (parameter, label, colours) -> covered(renderer.render(parameter, label, colours));
    }

    /** Only the last column has sentences; the others may be coloured. */
    private Ansi.Text[][] covered(Ansi.Text[][] rows) {
        for (Ansi.Text[] row : rows) {
            row[row.length - 1] = colorScheme().text(covered(row[row.length - 1].plainString()));
        }
        return rows;
    }

    private static String covered(String text) {
        return WITHIN_WORD
                .matcher(text)
                .replaceAll(mark -> Character.toString(COVER + mark.group().charAt(0)));
    }

    private static String uncovered(String text) {
        return COVERED.matcher(text)
                .replaceAll(mark ->
                        Matcher.quoteReplacement(Character.toString(mark.group().charAt(0) - COVER)));
    }
}
