package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.GroupCommitter.Entry;
import dev.tallystick.testkit.TestPostgres;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BatchTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    private final List<String> seen = new ArrayList<>();
    private final Noting early = new Noting("early", 1);
    private final Noting late = new Noting("late", 2);

    @Test
    void each_primitive_is_applied_once_in_the_order_of_the_locks() {
        Batch batch = new Batch(List.of(late.of("a"), early.of("b"), late.of("c")));

        apply(batch);

        assertThat(seen).containsExactly("early [b] shared", "late [a, c] shared");
        assertThat(batch.name()).isEqualTo("early");
        assertThat(batch.size()).isEqualTo(3);
    }

    @Test
    void only_what_runs_alone_waits_for_locks_and_a_repeat_says_so() {
        Entry<String, String> entry = early.of("a");
        Batch one = new Batch(List.of(entry));
        apply(one);
        apply(one.again());
        apply(one.alone());
        apply(Batch.alone(entry).again());

        assertThat(seen).containsExactly("early [a] shared", "early [a] shared again", "early [a]", "early [a] again");
        assertThat(one.isAlone()).isFalse();
        assertThat(one.alone().isAlone()).isTrue();
        assertThat(one.only()).isSameAs(entry);
    }

    @Test
    void halves_have_all_entries_are_shared_and_stay_repeats() {
        Batch batch = new Batch(List.of(early.of("a"), early.of("b"), early.of("c")));
        batch.again().halves().forEach(this::apply);

        assertThat(seen).containsExactly("early [a] shared again", "early [b, c] shared again");
    }

    @Test
    void an_entry_without_an_answer_is_returned_and_the_others_have_theirs() {
        Entry<String, String> answered = early.of("a");
        Entry<String, String> locked = early.of("locked");
        Entry<String, String> last = late.of("c");
        Batch batch = new Batch(List.of(answered, locked, last));

        List<Entry<?, ?>> left = batch.answer(apply(batch));

        assertThat(left).hasSize(1).first().isSameAs(locked);
        assertThat(answered.answer()).isCompletedWithValue("a done");
        assertThat(last.answer()).isCompletedWithValue("c done");
        assertThat(locked.answer()).isNotDone();
    }

    @Test
    void a_batch_that_fails_fails_all_of_its_entries() {
        Entry<String, String> one = early.of("a");
        Entry<String, String> other = late.of("b");

        new Batch(List.of(one, other)).fail(new IllegalStateException("planted"));

        assertThat(one.answer()).isCompletedExceptionally();
        assertThat(other.answer()).isCompletedExceptionally();
    }

    @Test
    void an_answer_too_few_rolls_the_batch_back() {
        Batch batch = new Batch(List.of(early.of("a"), early.of("lost")));

        assertThatThrownBy(() -> apply(batch)).hasMessageContaining("'early' gave 1 answers to 2 items");
    }

    private List<List<?>> apply(Batch batch) {
        return Database.on(postgres.dataSource()).transact("apply", tx -> batch.apply(tx));
    }

    /** Notes how it was applied. */
    private final class Noting implements Primitive<String, String> {

        private final String name;
        private final int rank;

        Noting(String name, int rank) {
            this.name = name;
            this.rank = rank;
        }

        Entry<String, String> of(String item) {
            return new Entry<>(this, item);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public int rank() {
            return rank;
        }

        @Override
        public Object orderKey(String item) {
            return item;
        }

        @Override
        public List<@Nullable String> apply(Tx tx, List<String> items) {
            assertThat(tx.othersQueue()).isTrue();
            seen.add(name + " " + items + (tx.mayWait() ? "" : " shared") + (tx.isRepeat() ? " again" : ""));
            List<@Nullable String> answers = new ArrayList<>();
            items.forEach(item -> answers.add(item.equals("locked") ? null : item + " done"));
            return items.contains("lost") ? Collections.singletonList("one") : answers;
        }
    }
}
