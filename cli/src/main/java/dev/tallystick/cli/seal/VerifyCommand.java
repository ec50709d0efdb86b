package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.cli.ledger.LedgerInput;
import dev.tallystick.cli.ledger.LedgerReceipt;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.Unicode;
import dev.tallystick.log.note.Policy;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.Omission;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.SignedPromise;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks a receipt with only the file and a key. The file says whether it is the receipt of a job or of a ledger. */
@Command(
        name = "verify",
        description = {
            "Check a receipt, the proof of a key, or a promise offline, against a root key that you trust.",
            "With a copy of the log, also whether a promise was kept."
        },
        sortOptions = false,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%n",
        footerHeading = "%nFor example:%n",
        footer = {
            "  $ tally verify receipt.json --root-key root.pub",
            "  $ tally verify receipt.json --root-key root.pub --policy witnesses.txt",
            "  $ tally verify promise.json --root-key root.pub --policy witnesses.txt --log copy/log"
        })
public final class VerifyCommand extends TallyCommand {

    @Parameters(
            paramLabel = "FILE",
            description = {
                "The receipt, proof, promise or omission;",
                "or the answer of 'tally submit --json', with its promise."
            })
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private Path receipt;

    @Option(
            names = "--root-key",
            paramLabel = "FILE",
            required = true,
            description = "The root key of the log or ledger, obtained from a trusted source, not from the receipt.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private Path rootKey;

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Which witnesses must have cosigned the log (C2SP tlog-policy).")
    private @Nullable Path policy;

    @Option(
            names = "--current-key",
            paramLabel = "FILE",
            description = "The current signing key, if you know it: signatures of retired keys then prove nothing.")
    private @Nullable Path currentKey;

    @Option(
            names = "--log",
            paramLabel = "DIR",
            description = "For a promise: a copy of the log, to see whether the promise was kept.")
    private @Nullable Path log;

    @Override
    public ExitCode run() throws IOException {
        String text = promiseIn(LedgerInput.read(receipt));
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return switch (format(text)) {
            case Receipt.FORMAT ->
                switch (Receipt.verify(bytes, trust())) {
                    case Verdict.Proven<Receipt.Facts> proven -> proven(proven.facts());
                    case Verdict.Refused<Receipt.Facts> refused -> refused(this, refused.reason());
                };
            case KeyProof.FORMAT ->
                switch (KeyProof.verify(bytes, trust())) {
                    case Verdict.Proven<KeyProof.Facts> proven -> proven(proven.facts());
                    case Verdict.Refused<KeyProof.Facts> refused -> refused(this, refused.reason());
                };
            case SignedPromise.FORMAT -> new PromiseCheck(this, trust(), key(rootKey)).check(bytes, log);
            case Omission.FORMAT -> new PromiseCheck(this, trust(), key(rootKey)).checkOmission(bytes);
            default -> LedgerReceipt.check(this, text, rootKey, currentKey);
        };
    }

    /** The promise in the answer to a submission; any other document as it is. */
    private static String promiseIn(String text) {
        Map<String, Json> members = members(text);
        Json promise = members.get("promise");
        return members.containsKey("format") || promise == null ? text : promise.canonical();
    }

    /** What the document says that it is; empty for the receipt of a ledger. */
    private static String format(String text) {
        return members(text).get("format") instanceof Json.StringValue format ? format.value() : "";
    }

    private static Map<String, Json> members(String text) {
        try {
            return Json.parse(text) instanceof Json.ObjectValue object ? object.members() : Map.of();
        } catch (JsonRefused e) {
            return Map.of();
        }
    }

    private ExitCode proven(KeyProof.Facts facts) {
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("proven", Json.of(true));
        fields.put("mesh", Json.of(facts.mesh()));
        fields.put("member", Json.of(facts.member()));
        fields.put("key", Json.of(facts.key()));
        fields.put("secrets", Json.of(facts.secrets()));
        fields.put(
                "acceptances",
                new Json.ArrayValue(
                        facts.acceptances().stream().<Json>map(Json::of).toList()));
        fields.put(
                "descendants",
                new Json.ArrayValue(facts.descendants().stream()
                        .<Json>map(each -> new Json.ObjectValue(Map.of(
                                "job_id", Json.of(each.job()),
                                "kind", Json.of(each.kind().word()),
                                "origin", Json.of(each.origin()))))
                        .toList()));
        fields.put("more_descendants", Json.of(facts.more()));
        fields.put("log", Json.of(facts.standing().checkpoint().origin()));
        fields.put("size", Json.of(facts.standing().checkpoint().size()));
        fields.put("standing", Json.of(facts.standing().words()));
        facts.standing().cosignedAt().ifPresent(at -> fields.put("cosigned_at", Json.of(at.toString())));
        answer("proven: " + facts.words(), fields);
        return ExitCode.OK;
    }

    private Trust trust() {
        Trust trust = Trust.of(key(currentKey == null ? rootKey : currentKey));
        trust = currentKey == null ? trust : trust.withCurrentKeyOnly();
        return policy == null ? trust : trust.with(policy(policy));
    }

    static Policy policy(Path file) {
        byte[] bytes = LedgerInput.read(file).getBytes(StandardCharsets.UTF_8);
        try {
            return Policy.parse(bytes);
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(
                    ExitCode.USAGE, file + ": " + e.getMessage(), "Pass a policy as C2SP tlog-policy describes it.");
        }
    }

    static VerifierKey key(Path file) {
        try {
            return VerifierKey.parse(LedgerInput.read(file).strip());
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    file + " has no key of a log: " + e.getMessage(),
                    "Pass the root.pub of the server that made the receipt.");
        }
    }

    private ExitCode proven(Receipt.Facts facts) {
        String standing = facts.standing().words();
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("proven", Json.of(true));
        fields.put("job_id", Json.of(facts.job()));
        fields.put("log", Json.of(facts.standing().checkpoint().origin()));
        fields.put("size", Json.of(facts.standing().checkpoint().size()));
        fields.put("standing", Json.of(standing));
        fields.put("accepted", new Json.ObjectValue(facts.accepted()));
        facts.closed().ifPresent(closed -> fields.put("closed", new Json.ObjectValue(closed)));
        facts.erased().ifPresent(erased -> fields.put("erased", new Json.ObjectValue(erased)));
        StringBuilder text = new StringBuilder("proven: job ").append(Unicode.shown(facts.job()));
        text.append(facts.closed().map(VerifyCommand::outcome).orElse(", accepted"));
        text.append(facts.erased().isPresent() ? ", erased" : "");
        facts.accepted().forEach((field, value) -> text.append(line("accepted", field, value)));
        facts.closed().ifPresent(closed -> closed.forEach((field, value) -> text.append(line("closed", field, value))));
        facts.erased().ifPresent(erased -> erased.forEach((field, value) -> text.append(line("erased", field, value))));
        text.append("\nlog ").append(facts.standing().checkpoint().origin());
        text.append(", size ").append(facts.standing().checkpoint().size());
        text.append(": ").append(standing);
        answer(text.toString(), fields);
        return ExitCode.OK;
    }

    private static String outcome(Map<String, Json> closed) {
        return closed.get("outcome") instanceof Json.StringValue word ? ", " + Unicode.shown(word.value()) : ", closed";
    }

    private static String line(String record, String field, Json value) {
        String words = value instanceof Json.StringValue text ? text.value() : value.canonical();
        return "\n  " + record + "." + field + "  " + Unicode.shown(words);
    }

    static ExitCode refused(TallyCommand command, String reason) {
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("proven", Json.of(false));
        fields.put("reason", Json.of(reason));
        command.answer("not proven: " + Unicode.shown(reason), fields);
        return ExitCode.CONFLICT;
    }
}
