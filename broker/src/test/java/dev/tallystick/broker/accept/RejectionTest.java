package dev.tallystick.broker.accept;

import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static dev.tallystick.broker.model.TestBroker.NO_ROWS;
import static dev.tallystick.broker.model.TestBroker.SETTINGS;
import static dev.tallystick.broker.model.TestBroker.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.BrokerSettings;
import dev.tallystick.broker.JobHook;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Json;
import dev.tallystick.core.Role;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No rejection leaves a row anywhere, and the same key is accepted once the cause is gone. */
class RejectionTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private final JobHook hook = new JobHook("order");
    private final SwitchedLimiter limiter = new SwitchedLimiter();
    private Broker broker = open(SETTINGS.withMaxPayload(100));

    @AfterEach
    void close() {
        broker.close();
    }

    /** Each cause can be created and removed. */
    enum Cause {
        TOO_LARGE(Rejection.Code.PAYLOAD_TOO_LARGE) {
            @Override
            Submission submission() {
                return text("k", TestBroker.ALERTS, "x".repeat(101));
            }

            @Override
            void goes(RejectionTest test) {
                test.restart(SETTINGS);
            }
        },
        TOO_MANY_MENTIONS(Rejection.Code.MENTIONS_REFUSED) {
            @Override
            Submission submission() {
                List<String> many = Collections.nCopies(101, "bob");
                Envelope envelope = text("k", TestBroker.ALERTS, "x").envelope().withMentions(many);
                return Submission.of(TestBroker.key("k"), envelope);
            }

            @Override
            void goes(RejectionTest test) {
                test.restart(new BrokerSettings(
                        SETTINGS.keyRetention(),
                        SETTINGS.gate(),
                        SETTINGS.maxPayload(),
                        200,
                        SETTINGS.historyKept(),
                        SETTINGS.poll(),
                        SETTINGS.callable()));
            }
        },
        NO_TOPIC(Rejection.Code.UNKNOWN_TOPIC) {
            @Override
            Submission submission() {
                return text("k", Destination.parse("topic:new"), "x");
            }

            @Override
            void goes(RejectionTest test) {
                test.broker.directory().create(MESH, Destination.parse("topic:new"));
            }
        },
        NO_QUEUE(Rejection.Code.UNKNOWN_QUEUE) {
            @Override
            Submission submission() {
                return text("k", Destination.parse("queue:new"), "x");
            }

            @Override
            void goes(RejectionTest test) {
                test.broker.directory().create(MESH, Destination.parse("queue:new"));
            }
        },
        NO_MEMBER(Rejection.Code.UNKNOWN_MEMBER) {
            @Override
            Submission submission() {
                return text("k", Destination.parse("member:new"), "x");
            }

            @Override
            void goes(RejectionTest test) {
                test.broker.members().create(new Member(MESH, "new", Set.of(Role.MEMBER)));
            }
        },
        NO_MENTIONED_MEMBER(Rejection.Code.UNKNOWN_MEMBER) {
            @Override
            Submission submission() {
                Envelope envelope = text("k", TestBroker.ALERTS, "x").envelope().withMentions(List.of("bob", "new"));
                return Submission.of(TestBroker.key("k"), envelope);
            }

            @Override
            void goes(RejectionTest test) {
                NO_MEMBER.goes(test);
            }
        },
        NO_WORKFLOW(Rejection.Code.UNKNOWN_WORKFLOW) {
            @Override
            Submission submission() {
                return Submission.of(TestBroker.key("k"), Envelope.ofJob("new", Json.of("x")));
            }

            @Override
            void goes(RejectionTest test) {
                test.hook.register("new");
            }
        };

        final Rejection.Code code;

        Cause(Rejection.Code code) {
            this.code = code;
        }

        abstract Submission submission();

        abstract void goes(RejectionTest test);
    }

    @ParameterizedTest
    @EnumSource
    void a_rejection_leaves_nothing_and_the_same_key_is_accepted_once_the_cause_is_gone(Cause cause) {
        for (int repeat = 0; repeat < 2; repeat++) {
            assertThat(broker.accept(ALICE, cause.submission()))
                    .isInstanceOfSatisfying(
                            Acceptance.Rejected.class,
                            rejected -> assertThat(rejected.why().code()).isEqualTo(cause.code));
            assertThat(TestBroker.rows(postgres.dataSource())).isEqualTo(NO_ROWS);
        }

        cause.goes(this);

        assertThat(broker.accept(ALICE, cause.submission())).isInstanceOf(Acceptance.Accepted.class);
        assertThat(broker.accept(ALICE, cause.submission())).isInstanceOf(Acceptance.Duplicate.class);
    }

    /**
     * Option rejections depend on what is not part of the fingerprint, and have their own test below. An unknown outcome takes a
     * restored database.
     */
    @Test
    void every_code_has_a_cause_here() {
        Set<Rejection.Code> provoked = EnumSet.of(Rejection.Code.OPTIONS_REFUSED, Rejection.Code.OUTCOME_UNKNOWN);
        for (Cause cause : Cause.values()) {
            provoked.add(cause.code);
        }

        assertThat(provoked).containsExactlyInAnyOrder(Rejection.Code.values());
    }

    @ParameterizedTest
    @ValueSource(strings = {"two words", "-", "\u5c71"})
    void a_mention_that_cannot_be_a_member_is_refused(String mention) {
        assertThatMentionIsRefused(mention);
    }

    @Test
    void a_mention_that_is_longer_than_the_name_of_any_member_is_refused() {
        assertThatMentionIsRefused(Randomness.ofSeed(1).noise(3_000));
    }

    private void assertThatMentionIsRefused(String mention) {
        Envelope envelope = text("k", TestBroker.ALERTS, "x").envelope().withMentions(List.of("bob", mention));

        assertThat(broker.accept(ALICE, Submission.of(TestBroker.key("k"), envelope)))
                .isInstanceOfSatisfying(
                        Acceptance.Rejected.class,
                        rejected -> assertThat(rejected.why().code()).isEqualTo(Rejection.Code.MENTIONS_REFUSED));
        assertThat(TestBroker.rows(postgres.dataSource())).isEqualTo(NO_ROWS);
    }

    @Test
    void over_the_limit_nothing_is_written_and_the_same_key_is_accepted_in_the_next_window() {
        limiter.over = true;
        assertThat(broker.accept(ALICE, text("k", TestBroker.ALERTS, "x")))
                .isEqualTo(new Acceptance.OverLimit(Duration.ofSeconds(3)));
        assertThat(TestBroker.rows(postgres.dataSource())).isEqualTo(NO_ROWS);

        limiter.over = false;

        assertThat(broker.accept(ALICE, text("k", TestBroker.ALERTS, "x"))).isInstanceOf(Acceptance.Accepted.class);
    }

    @Test
    void a_repeat_of_what_was_accepted_costs_no_budget() {
        broker.accept(ALICE, text("k", TestBroker.ALERTS, "x"));
        restart(SETTINGS);
        limiter.over = true;

        assertThat(broker.accept(ALICE, text("k", TestBroker.ALERTS, "x"))).isInstanceOf(Acceptance.Duplicate.class);
    }

    @Test
    void options_of_a_job_are_refused_elsewhere_and_the_same_request_without_them_is_accepted() {
        JobOptions options = new JobOptions(3, null, new Json.ObjectValue(Map.of()));

        assertThat(broker.accept(ALICE, text("k", TestBroker.ALERTS, "x").withOptions(options)))
                .isInstanceOf(Acceptance.Rejected.class);
        assertThat(TestBroker.rows(postgres.dataSource())).isEqualTo(NO_ROWS);
        assertThat(broker.accept(ALICE, text("k", TestBroker.ALERTS, "x"))).isInstanceOf(Acceptance.Accepted.class);
    }

    @Test
    void a_job_that_cannot_be_written_undoes_its_message_and_the_same_key_is_accepted_later() {
        hook.failing = true;
        assertThatThrownBy(() -> broker.accept(ALICE, TestBroker.job("k", "x"))).hasMessage("the hook fails");
        assertThat(TestBroker.rows(postgres.dataSource())).isEqualTo(NO_ROWS);

        hook.failing = false;

        assertThat(broker.accept(ALICE, TestBroker.job("k", "x"))).isInstanceOf(Acceptance.Accepted.class);
        assertThat(hook.started).hasValue(1);
    }

    @Test
    void an_accepted_message_is_answered_as_accepted_even_if_its_topic_is_gone() {
        broker.accept(ALICE, text("k", TestBroker.ALERTS, "x"));
        broker.directory().delete(MESH, TestBroker.ALERTS);
        restart(SETTINGS);

        assertThat(broker.accept(ALICE, text("k", TestBroker.ALERTS, "x"))).isInstanceOf(Acceptance.Duplicate.class);
        assertThat(broker.accept(ALICE, text("other", TestBroker.ALERTS, "x"))).isInstanceOf(Acceptance.Rejected.class);
    }

    @Test
    void requests_that_were_counted_and_then_rejected_are_reported() {
        broker.accept(ALICE, Cause.NO_TOPIC.submission());

        assertThat(broker.counts().consumedThenRejected()).isEqualTo(1);
    }

    private void restart(BrokerSettings settings) {
        broker.close();
        broker = open(settings);
    }

    private Broker open(BrokerSettings settings) {
        return TestBroker.on(postgres.dataSource(), settings, hook, limiter, CrashPoints.NONE);
    }

    private static final class SwitchedLimiter implements Limiter {

        private volatile boolean over;

        @Override
        public Decision consume(ScopedKey key, Fingerprint fingerprint, int bytes) {
            return over ? new Decision.Over(Duration.ofSeconds(3)) : new Decision.Within();
        }
    }
}
