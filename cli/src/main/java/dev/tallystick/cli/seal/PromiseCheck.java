package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.core.Unicode;
import dev.tallystick.log.audit.Finding;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.TagProof;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.AcceptancePromise;
import dev.tallystick.log.receipt.Omission;
import dev.tallystick.log.receipt.SignedPromise;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks promises, alone or against a copy of the log. */
final class PromiseCheck {

    private final TallyCommand command;
    private final Trust trust;
    private final VerifierKey rootKey;

    /** @param rootKey the first key of the log, which may be another one than the key to trust */
    PromiseCheck(TallyCommand command, Trust trust, VerifierKey rootKey) {
        this.command = command;
        this.trust = trust;
        this.rootKey = rootKey;
    }

    /** @param log the directory of the log; null to check who promised what, and nothing else */
    ExitCode check(byte[] promise, @Nullable Path log) throws IOException {
        if (log == null) {
            return switch (SignedPromise.verify(promise, trust, List.of())) {
                case Verdict.Proven<SignedPromise.Facts> proven ->
                    answer("promised", words(proven.facts().promise()), fields(proven.facts()), ExitCode.OK);
                case Verdict.Refused<SignedPromise.Facts> refused -> VerifyCommand.refused(command, refused.reason());
            };
        }
        if (!Files.isDirectory(log)) {
            throw new CommandFailed(ExitCode.NOT_FOUND, "there is no directory " + log, "Check the path.");
        }
        return switch (Verdict.of(SignedPromise::parse, promise)) {
            case Verdict.Proven<SignedPromise> parsed -> against(parsed.facts(), promise, log);
            case Verdict.Refused<SignedPromise> refused -> VerifyCommand.refused(command, refused.reason());
        };
    }

    private ExitCode against(SignedPromise promise, byte[] json, Path log) throws IOException {
        LogAudit.Lookup found =
                LogAudit.lookUp(log, rootKey, promise.unverified().tag());
        if (found.proof().isEmpty()) {
            String why =
                    found.report().findings().stream().map(Finding::toString).collect(Collectors.joining("; "));
            return VerifyCommand.refused(command, "the log is broken: " + why);
        }
        TagProof proof = found.proof().get();
        return switch (SignedPromise.verify(json, trust, proof.rotations())) {
            case Verdict.Proven<SignedPromise.Facts> proven -> compare(promise, proven.facts(), proof);
            case Verdict.Refused<SignedPromise.Facts> refused -> VerifyCommand.refused(command, refused.reason());
        };
    }

    private ExitCode compare(SignedPromise promise, SignedPromise.Facts facts, TagProof proof) {
        SequencedMap<String, Json> fields = fields(facts);
        long size = Checkpoint.parse(proof.checkpoint().text()).size();
        fields.put("size", Json.of(size));
        if (proof.has(facts.promise().tag())) {
            return answer(
                    "kept", words(facts.promise()) + "; the log of size " + size + " has it", fields, ExitCode.OK);
        }
        Omission omission =
                new Omission(promise.note(), proof.head(), proof.proof(), proof.checkpoint(), proof.rotations());
        return switch (Omission.verify(omission.json().canonicalBytes(), trust)) {
            case Verdict.Proven<Omission.Facts> broken -> {
                fields.put("omission", omission.json());
                yield answer("broken", broken.facts().words(), fields, ExitCode.CONFLICT);
            }
            case Verdict.Refused<Omission.Facts> early -> {
                fields.put("reason", Json.of(early.reason()));
                String text = "the log of size " + size + " does not have job "
                        + facts.promise().job() + ", but " + early.reason();
                yield answer("open", text, fields, ExitCode.UNKNOWN_OUTCOME);
            }
        };
    }

    ExitCode checkOmission(byte[] omission) {
        return switch (Omission.verify(omission, trust)) {
            case Verdict.Proven<Omission.Facts> proven -> {
                SequencedMap<String, Json> fields =
                        fields(new SignedPromise.Facts(proven.facts().promise(), Optional.empty()));
                fields.put("cosigned_at", Json.of(proven.facts().cosignedAt().toString()));
                yield answer("proven", proven.facts().words(), fields, ExitCode.OK);
            }
            case Verdict.Refused<Omission.Facts> refused -> VerifyCommand.refused(command, refused.reason());
        };
    }

    private ExitCode answer(String verdict, String words, SequencedMap<String, Json> fields, ExitCode code) {
        fields.putFirst("verdict", Json.of(verdict));
        command.answer(verdict + ": " + Unicode.shown(words), fields);
        return code;
    }

    private static String words(AcceptancePromise promise) {
        return "job " + promise.job() + ", accepted at " + promise.acceptedAt() + ", will be in log " + promise.origin()
                + " by " + promise.sealedBy();
    }

    private static SequencedMap<String, Json> fields(SignedPromise.Facts facts) {
        AcceptancePromise promise = facts.promise();
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("job_id", Json.of(promise.job()));
        fields.put("log", Json.of(promise.origin()));
        fields.put("accepted_at", Json.of(promise.acceptedAt().toString()));
        fields.put("sealed_by", Json.of(promise.sealedBy().toString()));
        facts.fingerprint().ifPresent(print -> fields.put("fingerprint", Json.of(print)));
        return fields;
    }
}
