package dev.tallystick.server.routes;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.KeyApi.HeldKey;
import dev.tallystick.core.api.KeyApi.HeldKeys;
import dev.tallystick.core.api.KeyApi.KeyState;
import dev.tallystick.core.api.KeyApi.ResolveKey;
import dev.tallystick.keys.KeyEntry;
import dev.tallystick.keys.KeyOwner;
import dev.tallystick.keys.Reservation;
import dev.tallystick.keys.ReserveKeys;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.keys.Settle;
import dev.tallystick.keys.Verdict;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.sql.Database;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who holds which reserved key, and since when; and an admin's verdict on a key whose holder will not give one. The holder may
 * still be alive: its later verdict is refused.
 */
public final class HeldKeyRoutes {

    private static final Logger AUDIT = LoggerFactory.getLogger("tally.audit");

    private static final int USUAL_PAGE = 100;
    private static final int LARGEST_PAGE = 500;

    private final Database database;
    private final ReserveKeys door;

    public HeldKeyRoutes(Database database, ReserveKeys door) {
        this.database = database;
        this.door = door;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/keys", this::open)
                        .summary("Keys that are reserved and not settled, of all members; the oldest first.")
                        .roles(Role.ADMIN, Role.OBSERVER)
                        .limit(USUAL_PAGE, LARGEST_PAGE)
                        .answers(HeldKeys.class),
                Route.get(KeyRoutes.PATH, this::held)
                        .summary("Who has reserved a key, and since when: you; for admins and observers, any member.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .answers(HeldKeys.class)
                        .refuses(ProblemCode.IDEMPOTENCY_KEY_REFUSED, ProblemCode.NOT_FOUND),
                Route.post(KeyRoutes.PATH + "/resolve", ResolveKey.class, this::resolve)
                        .summary("Settle a member's request on its behalf. What the holder says later is refused.")
                        .roles(Role.ADMIN)
                        .answers(KeyState.class)
                        .refuses(
                                ProblemCode.IDEMPOTENCY_KEY_REFUSED,
                                ProblemCode.RESERVATION_LOST,
                                ProblemCode.PAYLOAD_TOO_LARGE));
    }

    private Answer open(Call call) {
        int limit = call.number("limit", USUAL_PAGE, 1, LARGEST_PAGE);
        String mesh = call.member().mesh();
        return Answer.ok(allOf(database.read("list open keys", tx -> door.unresolved(tx, mesh, limit))));
    }

    private Answer held(Call call) {
        Member caller = call.member();
        ScopedKey own = KeyRoutes.key(call, caller.scope());
        List<KeyEntry> seen =
                database.read("find reservations", tx -> door.reserved(tx, caller.mesh(), own.key())).stream()
                        .filter(entry -> entry.key().equals(own) || caller.may(Role.OBSERVER))
                        .toList();
        if (seen.isEmpty()) {
            throw Call.notFound();
        }
        return Answer.ok(allOf(seen));
    }

    private Answer resolve(Call call, ResolveKey said) {
        Member admin = call.member();
        Scope scope = Call.understood(() -> new Scope(admin.mesh(), said.member()));
        ScopedKey key = KeyRoutes.key(call, scope);
        Verdict.Resolution resolution = resolution(said);
        KeyOwner resolver = new KeyOwner("operator " + admin.name());
        Settle settle = database.transact(
                "resolve key", tx -> door.resolve(tx, key, said.reservationId(), said.fence(), resolver, resolution));
        Answer answer = KeyRoutes.settled(key, settle);
        AUDIT.info("resolved key={} as={} reservation={} by={}", key, said.outcome(), said.reservationId(), admin);
        return answer;
    }

    private static Verdict.Resolution resolution(ResolveKey said) {
        return switch (said.outcome()) {
            case "committed" -> Verdict.commit(KeyRoutes.stored(said.response()));
            case "rejected" -> Verdict.reject(KeyRoutes.stored(said.response()));
            case "released" -> {
                if (said.response() != null) {
                    throw new Problem(ProblemCode.MALFORMED_REQUEST, "a key that is released has no response");
                }
                yield Verdict.release();
            }
            default ->
                throw new Problem(
                        ProblemCode.MALFORMED_REQUEST, "an outcome is one of committed, rejected and released");
        };
    }

    private static HeldKeys allOf(List<KeyEntry> entries) {
        return new HeldKeys(entries.stream().map(HeldKeyRoutes::held).toList());
    }

    private static HeldKey held(KeyEntry entry) {
        Reservation held = entry.reservation();
        return new HeldKey(
                entry.key().key().value(),
                entry.key().scope().member(),
                KeyRoutes.word(entry.status()),
                entry.fingerprint().hex(),
                held.id(),
                held.fence(),
                held.owner().name(),
                entry.hold() != null && entry.hold().transactional(),
                entry.firstSeen());
    }
}
