package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.cli.ledger.LedgerProse;
import dev.tallystick.core.ActivityLedger;
import dev.tallystick.core.Digit;
import dev.tallystick.core.GuidLedger;
import dev.tallystick.core.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Explains the 15 digits of a ledger. */
@Command(
        name = "explain",
        description = "Explain the 15 digits of a ledger.",
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally explain 001110000000001",
            "  tally explain --guid 000110000000001",
            "  tally explain --json 001110000000001",
        })
final class Explain extends TallyCommand {

    private static final String WRITE_ALL_DIGITS = "Pass all 15 digits, leading zeros included, as in 001110000000001.";

    @Parameters(paramLabel = "LEDGER", description = "The 15 digits, leading zeros included.")
    private String digits;

    @Option(
            names = "--guid",
            description = "Read the digits as the ledger of a transition (a GUID), not of an activity.")
    private boolean guid;

    @Override
    public ExitCode run() {
        if (guid) {
            GuidLedger read = read(GuidLedger::parse);
            answer(LedgerProse.of(read), fields(GuidLedger.DIGITS, read.value()));
        } else {
            ActivityLedger read = read(ActivityLedger::parse);
            answer(LedgerProse.of(read), fields(ActivityLedger.DIGITS, read.value()));
        }
        return ExitCode.OK;
    }

    private <L> L read(Function<String, L> parse) {
        try {
            return parse.apply(digits);
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), advice());
        }
    }

    private String advice() {
        boolean onlyDigits = digits.matches("[0-9]+");
        if (onlyDigits && digits.length() < Digit.COUNT) {
            return "Keep leading zeros: did you mean " + "0".repeat(Digit.COUNT - digits.length()) + digits + "?";
        }
        if (!onlyDigits || digits.length() > Digit.COUNT) {
            return WRITE_ALL_DIGITS;
        }
        if (guid && isActivityLedger(digits)) {
            return "This is the ledger of an activity: leave out --guid.";
        }
        return "No sequence of increments yields this number: compare it with the database row.";
    }

    private static boolean isActivityLedger(String digits) {
        try {
            ActivityLedger.parse(digits);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static SequencedMap<String, Json> fields(List<Digit> digits, long ledger) {
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        for (Digit digit : digits) {
            if (digit != Digit.RESERVED) {
                int value = digit.of(ledger);
                fields.put(
                        digit.name().toLowerCase(Locale.ROOT), digit.isFlag() ? Json.of(value == 1) : Json.of(value));
            }
        }
        return fields;
    }
}
