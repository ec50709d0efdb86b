package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/** What a process may be doing when it dies, and what must be true after its successor has run. */
enum CrashScenario {
    /** A key and its effect are accepted in one transaction. */
    ACCEPT(Accepting::new),
    /** A handler with an effect outside the database returns. */
    FOREIGN_HANDLER((database, key) -> new Foreign(key, false)),
    /** A handler with an effect outside the database throws. */
    FAILING_FOREIGN_HANDLER((database, key) -> new Foreign(key, true)),
    /** A handler with an effect inside the database returns. */
    TRANSACTIONAL_HANDLER((database, key) -> new Transactional(key, false)),
    /** A handler with an effect inside the database throws. */
    FAILING_TRANSACTIONAL_HANDLER((database, key) -> new Transactional(key, true)),
    /** The reservations of a dead owner are settled. */
    RECOVERY(Recovering::new),
    /** Expired keys are deleted. */
    SWEEP(Sweeping::new);

    private final BiFunction<Database, ScopedKey, Run> maker;

    CrashScenario(BiFunction<Database, ScopedKey, Run> maker) {
        this.maker = maker;
    }

    /** A run under its own key. */
    Run starting(Database database, String name) {
        return maker.apply(database, key(this + "-" + name));
    }

    /** One life of the scenario, and the next. */
    interface Run {

        void begin(TestLedger ledger, CrashPoints crashPoints);

        void finish(TestLedger ledger);
    }

    static final class HandlerFailure extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private record Accepting(Database database, ScopedKey key, AcceptClaim claim) implements Run {

        Accepting(Database database, ScopedKey key) {
            this(database, key, new AcceptClaim(key, ORDER, TestKeys.WORKFLOW, TestKeys.id()));
        }

        @Override
        public void begin(TestLedger ledger, CrashPoints crashPoints) {
            accept(ledger.database(), crashPoints);
        }

        @Override
        public void finish(TestLedger ledger) {
            Accept repeated = accept(ledger.database(), CrashPoints.NONE);

            assertThat(repeated).isInstanceOfAny(Accept.Fresh.class, Accept.Confirmed.class);
            assertThat(accept(ledger.database(), CrashPoints.NONE)).isInstanceOf(Accept.Confirmed.class);
            assertThat(effects(database, key)).isEqualTo(1);
        }

        private Accept accept(Database database, CrashPoints crashPoints) {
            return database.transact("accept", tx -> {
                Accept outcome = new AcceptKeys(TestKeys.RETENTION, crashPoints)
                        .accept(tx, List.of(claim))
                        .getFirst();
                if (outcome instanceof Accept.Fresh) {
                    Effects.happen(tx, key);
                }
                return outcome;
            });
        }
    }

    /** The number of calls represents the records of the foreign system: they survive the crash, and we can read them. */
    private record Foreign(ScopedKey key, boolean failing, AtomicInteger calls) implements Run {

        Foreign(ScopedKey key, boolean failing) {
            this(key, failing, new AtomicInteger());
        }

        @Override
        public void begin(TestLedger ledger, CrashPoints crashPoints) {
            ledger.keys().once(key, ORDER, () -> {
                calls.incrementAndGet();
                if (failing) {
                    throw new HandlerFailure();
                }
                return Verdict.commit("the answer");
            });
        }

        @Override
        public void finish(TestLedger ledger) {
            KeyLedger keys = ledger.keys();
            Once once = keys.once(key, ORDER, this::call);
            if (once instanceof Once.OutcomeUnknown unknown) {
                assertThat(keys.once(key, ORDER, this::call)).isEqualTo(once);
                Verdict found = calls.get() == 1 ? Verdict.commit("the answer") : Verdict.release();
                keys.resolve(unknown.entry(), found);
                once = keys.once(key, ORDER, this::call);
            }
            assertThat(once).isInstanceOfAny(Once.Ran.class, Once.Replayed.class);
            assertThat(answer(ledger, key)).isEqualTo("the answer");
            assertThat(calls).hasValue(1);
        }

        private Verdict call() {
            calls.incrementAndGet();
            return Verdict.commit("the answer");
        }
    }

    private record Transactional(ScopedKey key, boolean failing) implements Run {

        @Override
        public void begin(TestLedger ledger, CrashPoints crashPoints) {
            ledger.keys().onceInTransaction(key, ORDER, tx -> {
                Effects.happen(tx, key);
                if (failing) {
                    throw new HandlerFailure();
                }
                return Verdict.commit("the answer");
            });
        }

        @Override
        public void finish(TestLedger ledger) {
            for (int repeat = 0; repeat < 2; repeat++) {
                Once once = ledger.keys().onceInTransaction(key, ORDER, tx -> {
                    Effects.happen(tx, key);
                    return Verdict.commit("the answer");
                });
                assertThat(once).isInstanceOfAny(Once.Ran.class, Once.Replayed.class);
            }
            assertThat(answer(ledger, key)).isEqualTo("the answer");
            assertThat(effects(ledger.database(), key)).isEqualTo(1);
        }
    }

    private record Recovering(KeyOwner dead, ScopedKey foreign, ScopedKey transactional) implements Run {

        Recovering(Database database, ScopedKey key) {
            this(new KeyOwner(key.toString()), key(key + "-foreign"), key(key + "-transactional"));
            database.transact(
                    "reserve, and die",
                    tx -> new ReserveKeys(TestKeys.RETENTION)
                            .reserve(
                                    tx,
                                    List.of(
                                            new ReserveClaim(foreign, ORDER, TestKeys.id(), dead, false),
                                            new ReserveClaim(transactional, ORDER, TestKeys.id(), dead, true))));
        }

        @Override
        public void begin(TestLedger ledger, CrashPoints crashPoints) {
            ledger.keys().recover(dead);
        }

        @Override
        public void finish(TestLedger ledger) {
            ledger.keys().recover(dead);

            assertThat(ledger.keys().recover(dead)).isEqualTo(Recovery.NOTHING);
            assertThat(ledger.keys().lookUp(foreign).orElseThrow().status()).isEqualTo(KeyStatus.OUTCOME_UNKNOWN);
            assertThat(ledger.keys().lookUp(transactional)).isEmpty();
        }
    }

    private record Sweeping(ScopedKey open, ScopedKey done) implements Run {

        Sweeping(Database database, ScopedKey key) {
            this(key(key + "-open"), key(key + "-done"));
            ReserveKeys door = new ReserveKeys(TestKeys.RETENTION);
            List<Reserve> reserved = database.transact(
                    "reserve",
                    tx -> door.reserve(
                            tx,
                            List.of(
                                    new ReserveClaim(done, ORDER, TestKeys.id(), TestKeys.STRANGER, false),
                                    new ReserveClaim(open, ORDER, TestKeys.id(), TestKeys.STRANGER, false))));
            Reservation reservation = ((Reserve.Reserved) reserved.getFirst()).reservation();
            database.transact(
                    "settle", tx -> door.settle(tx, List.of(new Settlement(reservation, Verdict.commit("done")))));
            TestKeys.expireEverything(database);
        }

        @Override
        public void begin(TestLedger ledger, CrashPoints crashPoints) {
            new KeySweeper(ledger.database(), KeyNeeds.NONE, crashPoints).sweep(10);
        }

        @Override
        public void finish(TestLedger ledger) {
            new KeySweeper(ledger.database(), KeyNeeds.NONE, CrashPoints.NONE).sweep(10);

            assertThat(ledger.keys().lookUp(done)).isEmpty();
            assertThat(ledger.keys().lookUp(open).orElseThrow().status()).isEqualTo(KeyStatus.PENDING);
        }
    }

    private static long effects(Database database, ScopedKey key) {
        return Effects.all(database).stream().filter(key.key().value()::equals).count();
    }

    private static String answer(TestLedger ledger, ScopedKey key) {
        StoredResponse response = ledger.keys().lookUp(key).orElseThrow().response();
        return response == null ? "none" : response.text();
    }
}
