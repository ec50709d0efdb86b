package dev.tallystick.cli.ledger;

import dev.tallystick.core.ActivityLedger;
import dev.tallystick.core.Digit;
import dev.tallystick.core.GuidLedger;
import dev.tallystick.core.Step;
import java.util.Optional;

/** Explains a ledger: one line per digit group, then what happens next. Plain ASCII, for any terminal. */
public final class LedgerProse {

    private final StringBuilder text = new StringBuilder();
    private final String digits;

    private LedgerProse(String title, String digits) {
        this.digits = digits;
        text.append(title).append(' ').append(digits).append("\n\n");
    }

    public static String of(ActivityLedger ledger) {
        return new LedgerProse("Activity ledger", ledger.digits())
                .line(Digit.LEG1_ATTEMPTS, counted("Leg 1 was entered", ledger.legOneAttempts(), Digit.LEG1_ATTEMPTS))
                .line(
                        Digit.LEG1_COMPLETE,
                        ledger.legOneComplete()
                                ? "Leg 1 is complete: handing out the work has committed."
                                : "Leg 1 is not complete: no work was handed out.")
                .steps(ledger.workDone(), ledger.childrenSpawned(), ledger.completionTasksDone())
                .line(Digit.LEG2_ENTRIES, counted("Leg 2 was entered", ledger.legTwoEntries(), Digit.LEG2_ENTRIES))
                .verdict(next(ledger));
    }

    public static String of(GuidLedger ledger) {
        return new LedgerProse("GUID ledger", ledger.digits())
                .line(Digit.RESERVED, "Reserved.")
                .line(
                        Digit.JOB_CLOSED,
                        ledger.jobClosed()
                                ? "This transition closed the job, so it owns the completion tasks."
                                : "This transition did not close the job.")
                .steps(ledger.workDone(), ledger.childrenSpawned(), ledger.completionTasksDone())
                .line(Digit.ATTEMPTS, counted("The transition was claimed", ledger.attempts(), Digit.ATTEMPTS))
                .verdict(next(ledger));
    }

    private LedgerProse steps(boolean workDone, boolean childrenSpawned, boolean completionTasksDone) {
        return line(
                        Digit.WORK_DONE,
                        workDone
                                ? "Step 1, work: done. The result is recorded."
                                : "Step 1, work: not done. No result is recorded.")
                .line(
                        Digit.CHILDREN_SPAWNED,
                        childrenSpawned
                                ? "Step 2, children: spawned, and the job's semaphore moved with them."
                                : "Step 2, children: not spawned, and the job's semaphore has not moved.")
                .line(
                        Digit.COMPLETION_TASKS_DONE,
                        completionTasksDone
                                ? "Step 3, completion tasks: done. The job was completed here."
                                : "Step 3, completion tasks: not done here.");
    }

    private LedgerProse line(Digit digit, String meaning) {
        boolean single = digit.first() == digit.last();
        String places = single ? "digit  " + digit.first() : "digits " + digit.first() + "-" + digit.last();
        String shown = digits.substring(digit.first() - 1, digit.last());
        text.append("  " + padded(places, 11) + "  " + padded(shown, 8) + "  " + meaning + "\n");
        return this;
    }

    private String verdict(String sentence) {
        return text.append('\n').append(sentence).toString();
    }

    private static String next(ActivityLedger ledger) {
        if (!ledger.legOneComplete()) {
            return nextOfLegOne(ledger.legOneAttempts());
        }
        if (ledger.legTwoEntries() == 0) {
            return """
                The work is handed out and has no result yet. The first result will enter Leg 2.
                A repeated Leg 1 transition is acknowledged and does nothing.\
                """;
        }
        if (ledger.legTwoEntries() == Digit.LEG2_ENTRIES.maximum()) {
            return "No entries are left: the next claim of Leg 2 is refused, and the activity fails and is escalated.";
        }
        if (ledger.legTwoEntries() > 1) {
            return """
                Several transitions entered Leg 2, or one did so repeatedly.
                Each transition's own ledger shows what it still has to do: tally explain --guid.\
                """;
        }
        return nextOfLegTwo(ledger);
    }

    private static String nextOfLegOne(int attempts) {
        if (attempts == 0) {
            return "Leg 1 has not begun. The first claim will hand the work out.";
        }
        if (attempts == Digit.LEG1_ATTEMPTS.maximum()) {
            return "No attempts are left: the next claim of Leg 1 is refused, and the activity fails and is escalated.";
        }
        return "Leg 1 is running or was interrupted. After a crash it runs again, as attempt " + (attempts + 1) + ".";
    }

    /** For a single transition: only then do the activity's markers describe that one alone. */
    private static String nextOfLegTwo(ActivityLedger ledger) {
        if (!ledger.workDone()) {
            return "A result has arrived and is not recorded yet. After a crash, step 1 runs again.";
        }
        if (!ledger.childrenSpawned()) {
            return """
                The result is recorded; what follows from it is not.
                After a crash, step 1 is skipped and step 2 runs.\
                """;
        }
        if (!ledger.completionTasksDone()) {
            return "Nothing is left to do here, unless its transition closed the job: see the GUID ledger.";
        }
        return """
            Every step has committed, and this activity completed the job.
            Repeats are acknowledged and do nothing.\
            """;
    }

    private static String next(GuidLedger ledger) {
        Optional<Step> next = ledger.nextStep();
        if (next.isEmpty()) {
            return "All steps of this transition have committed. The next claim only acknowledges it.";
        }
        if (ledger.attempts() == Digit.ATTEMPTS.maximum()) {
            return "No attempts are left: the next claim is refused, and the activity fails and is escalated.";
        }
        return switch (next.get()) {
            case WORK -> "The next claim begins with step 1.";
            case CHILDREN -> "The next claim skips step 1, which has committed, and continues with step 2.";
            case COMPLETION_TASKS -> """
                The next claim skips steps 1 and 2, which have committed, and runs step 3.
                The job is closed, and no other transition will complete it.\
                """;
        };
    }

    private static String counted(String what, int count, Digit counter) {
        String times = switch (count) {
            case 0 -> "0 times";
            case 1 -> "once";
            case 2 -> "twice";
            default -> count + " times";
        };
        String ceiling = count == counter.maximum() ? ", the maximum." : ".";
        return what + " " + times + ceiling;
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(width - text.length());
    }
}
