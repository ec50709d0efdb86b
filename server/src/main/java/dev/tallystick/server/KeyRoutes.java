package dev.tallystick.server;

import dev.tallystick.broker.Member;
import dev.tallystick.broker.Role;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.keys.GateSettings;
import dev.tallystick.keys.KeyEntry;
import dev.tallystick.keys.KeyOwner;
import dev.tallystick.keys.KeyStatus;
import dev.tallystick.keys.Reservation;
import dev.tallystick.keys.Reserve;
import dev.tallystick.keys.ReserveClaim;
import dev.tallystick.keys.ReserveDoor;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.keys.Settle;
import dev.tallystick.keys.Settlement;
import dev.tallystick.keys.StoredResponse;
import dev.tallystick.keys.Verdict;
import dev.tallystick.sql.GroupCommitter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The reserve door: for handlers of somebody else's, in any language, that must run once. Reserve, do it, and say what came of
 * it. A reservation whose holder died stays, for no clock can know whether the work was done: its owner settles it, or an admin
 * ({@link HeldKeyRoutes}).
 */
final class KeyRoutes {

    static final String PATH = "/v1/keys/{key}";
    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

    private final ReserveDoor door;
    private final GroupCommitter committer;
    private final Ids ids;
    private final Spending spending;
    private final Waits waits;
    private final Duration patience;

    /** @param gate says whether a repeat waits for its original, and how long: here as at the gate */
    KeyRoutes(ReserveDoor door, GroupCommitter committer, Ids ids, Spending spending, Waits waits, GateSettings gate) {
        this.door = door;
        this.committer = committer;
        this.ids = ids;
        this.spending = spending;
        this.waits = waits;
        this.patience = !gate.waitForPending()
                ? Duration.ZERO
                : gate.pendingWait().compareTo(waits.longest()) > 0 ? waits.longest() : gate.pendingWait();
    }

    /**
     * What the key shall stand for.
     *
     * @param fingerprint SHA-256 of the request, in lower-case hex
     * @param reservationId an id of the caller's own making, so that it can repeat this after a lost reply
     * @param waitSeconds how long to wait for whoever holds the key; never longer than the server is set to, and as long if missing
     */
    record ReserveKey(
            String fingerprint,
            @Nullable UUID reservationId,
            @Values(least = 0, most = 60) @Nullable Integer waitSeconds) {}

    /** Either the reservation, or the answer that was given before. */
    record KeyState(
            String key,

            @Values(oneOf = {"reserved", "pending", "committed", "rejected", "outcome_unknown", "released"})
            String status,

            @Nullable UUID reservationId,
            @Nullable Long fence,
            @Nullable RawJson response) {}

    record SettleKey(
            UUID reservationId, long fence, @Nullable Json response) {}

    record ReleaseKey(UUID reservationId, long fence) {}

    List<Route> routes() {
        return List.of(
                Route.post(PATH + "/reserve", ReserveKey.class, this::reserve)
                        .summary("Reserve a key before the work begins; or learn what came of it before.")
                        .roles(Role.MEMBER)
                        .answers(KeyState.class)
                        .statuses(201, 200)
                        .refuses(
                                ProblemCode.IDEMPOTENCY_KEY_REFUSED,
                                ProblemCode.IDEMPOTENCY_KEY_REUSED,
                                ProblemCode.REQUEST_IN_PROGRESS,
                                ProblemCode.OUTCOME_UNRESOLVED,
                                ProblemCode.OVER_LIMIT,
                                ProblemCode.STOPPING),
                Route.post(PATH + "/commit", SettleKey.class, (call, body) -> settle(call, body, false))
                        .summary("The work is done. Repeats of the request get this response.")
                        .roles(Role.MEMBER)
                        .answers(KeyState.class)
                        .refuses(ProblemCode.IDEMPOTENCY_KEY_REFUSED, ProblemCode.RESERVATION_LOST),
                Route.post(PATH + "/reject", SettleKey.class, (call, body) -> settle(call, body, true))
                        .summary("The work is refused, and would be again. Repeats of the request get this response.")
                        .roles(Role.MEMBER)
                        .answers(KeyState.class)
                        .refuses(ProblemCode.IDEMPOTENCY_KEY_REFUSED, ProblemCode.RESERVATION_LOST),
                Route.post(PATH + "/release", ReleaseKey.class, this::release)
                        .summary("Nothing happened, for certain: the key is free again.")
                        .roles(Role.MEMBER)
                        .answers(KeyState.class)
                        .refuses(ProblemCode.IDEMPOTENCY_KEY_REFUSED, ProblemCode.RESERVATION_LOST));
    }

    private Answer reserve(Call call, ReserveKey wanted) throws InterruptedException {
        ReserveClaim claim = new ReserveClaim(
                key(call),
                fingerprint(wanted.fingerprint()),
                wanted.reservationId() == null ? ids.next() : wanted.reservationId(),
                owner(call.member()),
                false);
        Duration wait = patience(wanted.waitSeconds());
        try {
            return reserve(call, claim);
        } catch (Problem problem) {
            // Of a key that was free in the end its caller is told so when it asks again: it may have gone by now.
            if (problem.code() != ProblemCode.REQUEST_IN_PROGRESS || !isSettledInTime(call, claim.key(), wait)) {
                throw problem;
            }
        }
        return reserve(call, claim);
    }

    private Duration patience(@Nullable Integer seconds) {
        if (seconds == null) {
            return patience;
        }
        if (seconds < 0 || seconds > waits.longest().toSeconds()) {
            throw new Problem(
                    ProblemCode.MALFORMED_REQUEST,
                    "wait_seconds is between 0 and " + waits.longest().toSeconds());
        }
        Duration wanted = Duration.ofSeconds(seconds);
        return wanted.compareTo(patience) < 0 ? wanted : patience;
    }

    private Answer reserve(Call call, ReserveClaim claim) {
        return spending.spend(
                call, find(claim.key()).isPresent(), claim.key().key(), claim.fingerprint(), () -> answer(call, claim));
    }

    private Optional<KeyEntry> find(ScopedKey key) {
        return committer.submit(door.lookingUp(), key).join();
    }

    /** Waits for the holder to say what came of it, as long as repeats wait for their originals. */
    private boolean isSettledInTime(Call call, ScopedKey key, Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        try (Waits.Waiting waiting = waits.begin(call.member().mesh())) {
            while (System.nanoTime() - deadline < 0) {
                waiting.pause(waiting.pace(LOOK_AGAIN));
                call.admitAgain();
                Optional<KeyEntry> entry = find(key);
                if (entry.isEmpty() || entry.get().status() != KeyStatus.PENDING) {
                    return entry.isPresent();
                }
            }
        }
        return false;
    }

    private Answer answer(Call call, ReserveClaim claim) {
        return switch (committer.submit(door.reserving(), claim).join()) {
            case Reserve.Reserved reserved -> {
                Reservation held = reserved.reservation();
                yield Answer.created(new KeyState(call.name("key"), "reserved", held.id(), held.fence(), null));
            }
            case Reserve.Replayed replayed -> Answer.ok(state(replayed.entry())).header(Submissions.REPLAYED, "true");
            case Reserve.InProgress other ->
                throw unresolved(
                        ProblemCode.REQUEST_IN_PROGRESS, "its holder has not said yet what came of it", other.entry());
            case Reserve.OutcomeUnknown unknown ->
                throw unresolved(
                        ProblemCode.OUTCOME_UNRESOLVED,
                        "find out whether it happened, then settle it",
                        unknown.entry());
            case Reserve.Reused reused -> throw Submissions.reused(reused.reuse());
        };
    }

    /** Only the owner gets here, and it may have lost what it needs to settle the key. */
    private static Problem unresolved(ProblemCode code, String detail, KeyEntry entry) {
        Reservation held = entry.reservation();
        return new Problem(code, detail)
                .with("reservation_id", Json.of(held.id().toString()))
                .with("fence", Json.of(held.fence()))
                .retryAfter(Duration.ofSeconds(1));
    }

    private Answer settle(Call call, SettleKey said, boolean rejected) {
        StoredResponse response = stored(said.response());
        Verdict verdict = rejected ? Verdict.reject(response) : Verdict.commit(response);
        return settled(new Reservation(key(call), said.reservationId(), owner(call.member()), said.fence()), verdict);
    }

    static StoredResponse stored(@Nullable Json response) {
        try {
            return StoredResponse.of((response == null ? Json.ofNull() : response).canonical());
        } catch (IllegalArgumentException e) {
            throw new Problem(ProblemCode.PAYLOAD_TOO_LARGE, String.valueOf(e.getMessage()));
        }
    }

    private Answer release(Call call, ReleaseKey said) {
        Reservation held = new Reservation(key(call), said.reservationId(), owner(call.member()), said.fence());
        return settled(held, Verdict.release());
    }

    private Answer settled(Reservation reservation, Verdict verdict) {
        Settlement settlement = new Settlement(reservation, verdict);
        return settled(
                reservation.key(), committer.submit(door.settling(), settlement).join());
    }

    static Answer settled(ScopedKey key, Settle settle) {
        return switch (settle) {
            case Settle.Settled done -> Answer.ok(state(done.entry()));
            case Settle.Released gone -> Answer.ok(new KeyState(key.key().value(), "released", null, null, null));
            case Settle.Overruled overruled -> {
                KeyEntry entry = overruled.entry();
                throw new Problem(
                        ProblemCode.RESERVATION_LOST,
                        entry == null
                                ? "there is no such reservation"
                                : "the key is " + word(entry.status()) + " by now");
            }
        };
    }

    private static KeyState state(KeyEntry entry) {
        StoredResponse response = entry.response();
        return new KeyState(
                entry.key().key().value(),
                word(entry.status()),
                null,
                null,
                response == null ? null : new RawJson(response.text()));
    }

    static String word(KeyStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    private static ScopedKey key(Call call) {
        return key(call, call.member().scope());
    }

    static ScopedKey key(Call call, Scope scope) {
        try {
            return new ScopedKey(scope, new IdempotencyKey(call.name("key")));
        } catch (IllegalArgumentException e) {
            throw new Problem(ProblemCode.IDEMPOTENCY_KEY_REFUSED, String.valueOf(e.getMessage()));
        }
    }

    private static Fingerprint fingerprint(String hex) {
        return Call.understood(() -> new Fingerprint(hex));
    }

    /** The member itself: it outlives its processes, and knows better than we whether they are alive. */
    private static KeyOwner owner(Member member) {
        return new KeyOwner("member " + member.id());
    }
}
