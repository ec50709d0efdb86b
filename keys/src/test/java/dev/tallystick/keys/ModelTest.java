package dev.tallystick.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Work;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.TestPostgres;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Random requests, in batches, some rolled back: every outcome and every row matches a simple map. */
class ModelTest {

    @RegisterExtension
    static final TestPostgres postgres = TestKeys.postgres();

    private static final int STEPS = 60;

    private final Database database = TestKeys.emptied(postgres);

    @Test
    void the_doors_do_what_a_simple_map_does() {
        Randomness.repeat(10, random -> new Walk(database, random).walk(STEPS));
    }

    @Test
    @Tag("campaign")
    void the_doors_do_what_a_simple_map_does_for_long() {
        Randomness.repeat(1_000, random -> new Walk(database, random).walk(STEPS));
    }

    /** One sequence of steps, on an empty table. */
    private static final class Walk {

        /** Few of everything, so that requests collide. */
        private static final List<Scope> SCOPES = List.of(Scope.DEFAULT, new Scope("default", "member-2"));

        private static final List<String> KEYS = List.of("a", "b", "c", "d");
        private static final List<Fingerprint> FINGERPRINTS =
                List.of(TestKeys.ORDER, TestKeys.ORDER, TestKeys.ORDER, TestKeys.OTHER_ORDER);
        private static final List<KeyOwner> OWNERS = List.of(TestKeys.OWNER, TestKeys.STRANGER);

        private final Database database;
        private final Randomness random;
        private final AcceptKeys acceptKeys = new AcceptKeys(TestKeys.RETENTION);
        private final ReserveKeys reserveKeys = new ReserveKeys(TestKeys.RETENTION);
        private final KeyStore store = new KeyStore();
        private final ExpiredKeyStore expired = new ExpiredKeyStore();
        private final List<AcceptClaim> accepted = new ArrayList<>();
        private final List<ReserveClaim> reserved = new ArrayList<>();
        private final List<Reservation> held = new ArrayList<>();
        private KeyModel model = new KeyModel();

        Walk(Database database, Randomness random) {
            this.database = database;
            this.random = random;
            database.transact("start afresh", tx -> tx.update("delete from tally.key"));
        }

        void walk(int steps) {
            LinkedHashMap<Runnable, Integer> moves = new LinkedHashMap<>();
            moves.put(this::accept, 6);
            moves.put(this::reserve, 6);
            moves.put(this::settle, 8);
            moves.put(this::hold, 3);
            moves.put(this::recover, 1);
            moves.put(this::expire, 1);
            moves.put(this::sweep, 1);
            for (int step = 0; step < steps; step++) {
                random.weighted(moves).run();
                assertThat(rows()).isEqualTo(model.told());
            }
        }

        private void accept() {
            List<AcceptClaim> claims = random.listOf(
                    6,
                    r -> r.chance(0.2) && !accepted.isEmpty()
                            ? r.oneOf(accepted)
                            : new AcceptClaim(
                                    key(), r.oneOf(FINGERPRINTS), TestKeys.WORKFLOW, TestKeys.id(), response(), null));
            accepted.addAll(claims);
            step(
                    tx -> acceptKeys.accept(tx, claims).stream()
                            .map(KeyTelling::told)
                            .toList(),
                    after -> claims.stream().map(after::accept).toList());
        }

        private void reserve() {
            List<ReserveClaim> claims = random.listOf(4, r -> reserveClaim());
            reserved.addAll(claims);
            claims.forEach(claim -> held.add(new Reservation(claim.key(), claim.id(), claim.owner(), 1)));
            step(
                    tx -> reserveKeys.reserve(tx, claims).stream()
                            .map(KeyTelling::told)
                            .toList(),
                    after -> claims.stream().map(after::reserve).toList());
        }

        private void hold() {
            ReserveClaim claim = reserveClaim();
            reserved.add(claim);
            step(tx -> List.of(KeyTelling.told(reserveKeys.hold(tx, claim))), after -> List.of(after.hold(claim)));
        }

        /** By former holders, so mostly too late, and by successors with guessed fences. */
        private void settle() {
            if (held.isEmpty()) {
                return;
            }
            Set<ScopedKey> once = new HashSet<>();
            List<Settlement> settlements = random.listOf(4, r -> new Settlement(holder(), verdict())).stream()
                    .filter(settlement -> once.add(settlement.key()))
                    .toList();
            boolean unlessBlocked = random.nextBoolean();
            step(
                    tx -> (unlessBlocked
                                    ? reserveKeys.settleUnlessBlocked(tx, settlements)
                                    : reserveKeys.settle(tx, settlements))
                            .stream().map(KeyTelling::told).toList(),
                    after -> settlements.stream().map(after::settle).toList());
        }

        private void recover() {
            KeyOwner dead = random.oneOf(OWNERS);
            step(tx -> List.of(reserveKeys.recover(tx, dead, 100).toString()), after -> List.of(after.recover(dead)));
        }

        private void expire() {
            TestKeys.expireEverything(database);
            model.expire();
        }

        private void sweep() {
            step(
                    tx -> List.of("swept " + expired.forget(tx, expired.lock(tx, 1_000))),
                    after -> List.of(after.sweep()));
        }

        /** Takes the step on both sides; sometimes the transaction is rolled back, and the model with it. */
        private void step(Work<List<String>> real, Function<KeyModel, List<String>> modelled) {
            boolean rolledBack = random.chance(0.15);
            KeyModel after = model.copy();
            List<String> expected = modelled.apply(after);
            List<String> outcomes = new ArrayList<>();
            try {
                database.transact("step", tx -> {
                    outcomes.addAll(real.run(tx));
                    if (rolledBack) {
                        throw new RolledBack();
                    }
                    return true;
                });
                model = after;
            } catch (RolledBack e) {
                assertThat(rolledBack).isTrue();
            }
            assertThat(outcomes).isEqualTo(expected);
        }

        private Map<String, String> rows() {
            List<ScopedKey> all = SCOPES.stream()
                    .flatMap(scope -> KEYS.stream().map(key -> new ScopedKey(scope, new IdempotencyKey(key))))
                    .toList();
            return database.transact("read all", tx -> {
                Map<String, String> rows = new TreeMap<>();
                for (KeyKind keyKind : KeyKind.values()) {
                    store.read(tx, keyKind, all)
                            .forEach(entry -> rows.put(keyKind + " " + entry.key(), KeyTelling.row(entry)));
                }
                return rows;
            });
        }

        private ScopedKey key() {
            return new ScopedKey(random.oneOf(SCOPES), new IdempotencyKey(random.oneOf(KEYS)));
        }

        private ReserveClaim reserveClaim() {
            return random.chance(0.2) && !reserved.isEmpty()
                    ? random.oneOf(reserved)
                    : new ReserveClaim(
                            key(),
                            random.oneOf(FINGERPRINTS),
                            TestKeys.id(),
                            random.oneOf(OWNERS),
                            random.nextBoolean());
        }

        private Reservation holder() {
            Reservation one = held.get(held.size() - 1 - random.nextInt(Math.min(held.size(), 12)));
            return random.chance(0.2)
                    ? new Reservation(one.key(), one.id(), random.oneOf(OWNERS), random.between(1, 3))
                    : one;
        }

        private Verdict verdict() {
            StoredResponse response = StoredResponse.of(random.oneOf("x", "y"));
            return random.oneOf(
                    Verdict.commit(response), Verdict.reject(response), Verdict.release(), Verdict.unknown());
        }

        private StoredResponse response() {
            return StoredResponse.of(random.word(5));
        }
    }

    private static final class RolledBack extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }
}
