package dev.tallystick.keys;

import dev.tallystick.core.Fingerprint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A sequential model of the key ledger, in a map. Outcomes and rows are short texts, the same that {@link KeyTelling} makes
 * from the results of the real doors.
 */
final class KeyModel {

    /** A row of the model. */
    record Row(
            KeyStatus status,
            Fingerprint fingerprint,
            UUID original,
            @Nullable StoredResponse response,
            @Nullable KeyOwner owner,
            long fence,
            boolean transactional,
            boolean expired) {

        String told() {
            return KeyTelling.row(status, fingerprint, original, response, owner, fence, transactional);
        }

        Row settled(KeyStatus newStatus, @Nullable StoredResponse newResponse) {
            return new Row(newStatus, fingerprint, original, newResponse, owner, fence, transactional, false);
        }

        boolean isOpen() {
            return status == KeyStatus.PENDING || status == KeyStatus.OUTCOME_UNKNOWN;
        }

        boolean isHeldBy(Reservation reservation) {
            return original.equals(reservation.id())
                    && reservation.owner().equals(owner)
                    && fence == reservation.fence();
        }
    }

    record Name(KeyKind keyKind, ScopedKey key) {}

    private final Map<Name, Row> rows;

    KeyModel() {
        this(Map.of());
    }

    private KeyModel(Map<Name, Row> rows) {
        this.rows = new HashMap<>(rows);
    }

    KeyModel copy() {
        return new KeyModel(rows);
    }

    Map<String, String> told() {
        Map<String, String> told = new TreeMap<>();
        rows.forEach((name, row) -> told.put(name.keyKind() + " " + name.key(), row.told()));
        return told;
    }

    String accept(AcceptClaim claim) {
        Name name = new Name(KeyKind.ACCEPT, claim.key());
        Row row = rows.get(name);
        if (row == null) {
            rows.put(
                    name,
                    new Row(
                            KeyStatus.COMMITTED,
                            claim.fingerprint(),
                            claim.original(),
                            claim.response(),
                            null,
                            0,
                            false,
                            false));
            return "fresh";
        }
        if (!row.fingerprint().equals(claim.fingerprint())) {
            return "reused";
        }
        return (row.original().equals(claim.original()) ? "confirmed " : "replayed ") + row.told();
    }

    String reserve(ReserveClaim claim) {
        Name name = new Name(KeyKind.RESERVE, claim.key());
        Row row = rows.get(name);
        if (row == null) {
            row = new Row(
                    KeyStatus.PENDING,
                    claim.fingerprint(),
                    claim.id(),
                    null,
                    claim.owner(),
                    1,
                    claim.transactional(),
                    false);
            rows.put(name, row);
            return "reserved 1";
        }
        boolean own = row.isHeldBy(new Reservation(claim.key(), claim.id(), claim.owner(), 1));
        if (row.fingerprint().equals(claim.fingerprint()) && row.status() == KeyStatus.PENDING && own) {
            return "reserved 1";
        }
        return met(row, claim.fingerprint());
    }

    String hold(ReserveClaim claim) {
        Name name = new Name(KeyKind.RESERVE, claim.key());
        Row row = rows.get(name);
        if (row == null) {
            return "gone";
        }
        boolean holdable = row.status() == KeyStatus.PENDING && row.transactional();
        if (!holdable || !row.fingerprint().equals(claim.fingerprint())) {
            return met(row, claim.fingerprint());
        }
        if (!row.isHeldBy(new Reservation(claim.key(), claim.id(), claim.owner(), 1))) {
            row = new Row(
                    KeyStatus.PENDING,
                    row.fingerprint(),
                    row.original(),
                    null,
                    claim.owner(),
                    row.fence() + 1,
                    true,
                    false);
            rows.put(name, row);
        }
        return "reserved " + row.fence();
    }

    private static String met(Row row, Fingerprint offered) {
        if (!row.fingerprint().equals(offered)) {
            return "reused";
        }
        return switch (row.status()) {
            case PENDING -> "in progress " + row.told();
            case OUTCOME_UNKNOWN -> "unknown " + row.told();
            case COMMITTED, REJECTED -> "replayed " + row.told();
        };
    }

    String settle(Settlement settlement) {
        Name name = new Name(KeyKind.RESERVE, settlement.key());
        Row row = rows.get(name);
        Reservation reservation = settlement.reservation();
        boolean holds = row != null && row.isHeldBy(reservation);
        return switch (settlement.verdict()) {
            case Verdict.Commit commit -> answer(name, holds, KeyStatus.COMMITTED, commit.response());
            case Verdict.Reject reject -> answer(name, holds, KeyStatus.REJECTED, reject.response());
            case Verdict.Unknown unknown -> answer(name, holds, KeyStatus.OUTCOME_UNKNOWN, null);
            case Verdict.Release release -> {
                if (row == null || !row.original().equals(reservation.id())) {
                    yield "released";
                }
                if (holds && row.isOpen()) {
                    rows.remove(name);
                    yield "released";
                }
                yield "overruled " + row.told();
            }
        };
    }

    private String answer(Name name, boolean holds, KeyStatus status, @Nullable StoredResponse response) {
        Row row = rows.get(name);
        if (row == null) {
            return "overruled none";
        }
        if (holds && row.isOpen()) {
            row = row.settled(status, response);
            rows.put(name, row);
        }
        boolean says = holds && row.told().equals(row.settled(status, response).told());
        return (says ? "settled " : "overruled ") + row.told();
    }

    String recover(KeyOwner dead) {
        int released = 0;
        int unknown = 0;
        for (Map.Entry<Name, Row> entry : List.copyOf(rows.entrySet())) {
            Row row = entry.getValue();
            if (row.status() == KeyStatus.PENDING && dead.equals(row.owner())) {
                if (row.transactional()) {
                    rows.remove(entry.getKey());
                    released++;
                } else {
                    rows.put(entry.getKey(), row.settled(KeyStatus.OUTCOME_UNKNOWN, null));
                    unknown++;
                }
            }
        }
        return new Recovery(released, unknown).toString();
    }

    String expire() {
        rows.replaceAll((name, row) -> row.isOpen()
                ? row
                : new Row(
                        row.status(),
                        row.fingerprint(),
                        row.original(),
                        row.response(),
                        row.owner(),
                        row.fence(),
                        row.transactional(),
                        true));
        return "expired";
    }

    String sweep() {
        int before = rows.size();
        rows.values().removeIf(Row::expired);
        return "swept " + (before - rows.size());
    }
}
