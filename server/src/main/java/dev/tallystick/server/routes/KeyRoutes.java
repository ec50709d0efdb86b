package dev.tallystick.server.routes;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.KeyApi.KeyState;
import dev.tallystick.core.api.KeyApi.ReleaseKey;
import dev.tallystick.core.api.KeyApi.ReserveKey;
import dev.tallystick.core.api.KeyApi.SettleKey;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.keys.GateSettings;
import dev.tallystick.keys.KeyEntry;
import dev.tallystick.keys.KeyOwner;
import dev.tallystick.keys.KeyStatus;
import dev.tallystick.keys.Reservation;
import dev.tallystick.keys.Reserve;
import dev.tallystick.keys.ReserveClaim;
import dev.tallystick.keys.ReserveKeys;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.keys.Settle;
import dev.tallystick.keys.Settlement;
import dev.tallystick.keys.StoredResponse;
import dev.tallystick.keys.Verdict;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.LongPolls;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.sql.GroupCommitter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The reserve door: for external handlers, in any language, that must run once. Reserve, run, and report the verdict. A
 * reservation whose holder died stays, because no clock can know whether the work was done: its owner settles it, or an admin
 * ({@link HeldKeyRoutes}).
 */
public final class KeyRoutes {

    static final String PATH = "/v1/keys/{key}";
    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

    private final ReserveKeys door;
    private final GroupCommitter committer;
    private final Ids ids;
    private final BudgetGuard budgetGuard;
    private final LongPolls longPolls;
    private final Duration patience;

    /** @param gate whether and how long a repeat waits for its original: here as at the gate */
    public KeyRoutes(
            ReserveKeys door,
            GroupCommitter committer,
            Ids ids,
            BudgetGuard budgetGuard,
            LongPolls longPolls,
            GateSettings gate) {
        this.door = door;
        this.committer = committer;
        this.ids = ids;
        this.budgetGuard = budgetGuard;
        this.longPolls = longPolls;
        this.patience = !gate.waitForPending()
                ? Duration.ZERO
                : gate.pendingWait().compareTo(longPolls.longest()) > 0 ? longPolls.longest() : gate.pendingWait();
    }

    public List<Route> routes() {
        return List.of(
                Route.post(PATH + "/reserve", ReserveKey.class, this::reserve)
                        .summary("Reserve a key before the work begins; or learn its outcome.")
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
            // If the key became free, the caller learns that when it asks again: it may have disconnected by now.
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
        if (seconds < 0 || seconds > longPolls.longest().toSeconds()) {
            throw new Problem(
                    ProblemCode.MALFORMED_REQUEST,
                    "wait_seconds is between 0 and " + longPolls.longest().toSeconds());
        }
        Duration wanted = Duration.ofSeconds(seconds);
        return wanted.compareTo(patience) < 0 ? wanted : patience;
    }

    private Answer reserve(Call call, ReserveClaim claim) {
        return budgetGuard.spend(
                call, find(claim.key()).isPresent(), claim.key().key(), claim.fingerprint(), () -> answer(call, claim));
    }

    private Optional<KeyEntry> find(ScopedKey key) {
        return committer.submit(door.lookingUp(), key).join();
    }

    /** Waits for the holder's verdict, as long as repeats wait for their originals. */
    private boolean isSettledInTime(Call call, ScopedKey key, Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        try (LongPolls.Waiting waiting = longPolls.begin(call.member().mesh())) {
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
                        ProblemCode.REQUEST_IN_PROGRESS, "its holder has not reported the outcome yet", other.entry());
            case Reserve.OutcomeUnknown unknown ->
                throw unresolved(
                        ProblemCode.OUTCOME_UNRESOLVED,
                        "find out whether it happened, then settle it",
                        unknown.entry());
            case Reserve.Reused reused -> throw Submissions.reused(reused.reuse());
        };
    }

    /** Only the owner gets here, and it may have lost the values that it needs to settle the key. */
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
                response == null ? null : RawJson.of(response.text()));
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

    /** The member itself: it outlives its processes, and knows better than the server whether they are alive. */
    private static KeyOwner owner(Member member) {
        return new KeyOwner("member " + member.id());
    }
}
