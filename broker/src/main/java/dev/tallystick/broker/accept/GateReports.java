package dev.tallystick.broker.accept;

import dev.tallystick.core.Destination;
import dev.tallystick.keys.Gate;

/** Reports answers to the gate, which gives them to repeats. */
public final class GateReports {

    public static void report(Gate.Pass<Acceptance> pass, Submission submission, Acceptance answer) {
        switch (answer) {
            case Acceptance.Accepted accepted -> remember(pass, accepted.message());
            case Acceptance.Duplicate duplicate -> remember(pass, duplicate.message());
            case Acceptance.Rejected rejected -> refuse(pass, rejected, submission);
            case Acceptance.KeyReused reused -> pass.shared(reused);
            case Acceptance.OverLimit over -> pass.shared(over);
            case Acceptance.InProgress other -> pass.close();
            case Acceptance.Busy busy -> pass.close();
        }
    }

    /** A job's options are not part of its fingerprint: a job refused because of them may pass with others. */
    private static void refuse(Gate.Pass<Acceptance> pass, Acceptance.Rejected rejected, Submission submission) {
        if (submission.envelope().to().kind() == Destination.Kind.WORKFLOW
                || !submission.options().equals(JobOptions.NONE)) {
            pass.close();
        } else if (rejected.why().code().isDeterminedByRequestAlone()) {
            pass.rejected(rejected);
        } else {
            pass.shared(rejected);
        }
    }

    private static void remember(Gate.Pass<Acceptance> pass, AcceptedMessage message) {
        pass.committed(message.fingerprint(), new Acceptance.Duplicate(message));
    }

    private GateReports() {}
}
