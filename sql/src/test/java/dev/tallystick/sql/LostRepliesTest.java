package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.History;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A thousand commits happen, and none of their callers gets a reply. */
class LostRepliesTest {

    private static final int LOST = 1_000;
    private static final int CALLERS = 4;

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    @Test
    void every_lost_reply_is_unknown_and_a_repeat_under_the_same_key_adds_nothing() throws Exception {
        Database direct = Database.on(postgres.dataSource());
        EffectStore.create(direct);
        History<String> history = new History<>();
        try (TcpProxy proxy = postgres.proxy();
                ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
            Database lossy = Database.on(postgres.proxied(proxy));
            proxy.onCommit(CommitPolicy.always(CommitFate.LOSE_REPLY));
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < LOST; i++) {
                String key = "key-" + i;
                sent.add(callers.submit(() -> send(lossy, key, history)));
            }
            for (Future<?> each : sent) {
                each.get();
            }
            assertThat(proxy.commits(CommitFate.LOSE_REPLY)).isEqualTo(LOST);
        }
        assertThat(history.unknownKeys()).isEqualTo(LOST);
        assertThat(history.acknowledgedKeys()).isZero();

        for (int i = 0; i < LOST; i++) {
            String key = "key-" + i;
            history.invoked(key);
            assertThat(direct.transact("repeat", EffectStore.insertOnce(key)))
                    .as(key)
                    .isZero();
            history.acknowledged(key);
        }
        history.assertAgreesWith(EffectStore.keys(direct));
    }

    private static void send(Database lossy, String key, History<String> history) {
        history.invoked(key);
        try {
            lossy.transact("send", EffectStore.insertOnce(key));
            history.acknowledged(key);
        } catch (UnknownOutcomeException e) {
            history.unknown(key);
        } catch (DefiniteFailureException e) {
            history.failed(key);
        }
    }
}
