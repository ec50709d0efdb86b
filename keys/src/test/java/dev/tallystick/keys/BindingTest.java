package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class BindingTest {

    private final List<String> statements = new ArrayList<>();

    @Test
    void a_batch_of_free_keys_takes_one_statement() throws SQLException {
        Binding binding = Binding.of(List.of(key("a"), key("b")), key -> key, this::insertAll, this::readAll);

        assertThat(binding.fresh()).containsExactlyInAnyOrder(key("a"), key("b"));
        assertThat(statements).containsExactly("insert 2");
    }

    @Test
    void a_batch_with_a_bound_key_takes_two() throws SQLException {
        Binding binding = Binding.of(List.of(key("a"), key("b")), key -> key, this::insertFirst, this::readAll);

        assertThat(binding.fresh()).containsExactly(key("a"));
        assertThat(binding.entry(key("b")).key()).isEqualTo(key("b"));
        assertThat(statements).containsExactly("insert 2", "read 1");
    }

    @Test
    void a_repeated_key_is_inserted_once() throws SQLException {
        Binding binding = Binding.of(List.of(key("a"), key("a")), key -> key, this::insertAll, this::readAll);

        assertThat(binding.fresh()).containsExactly(key("a"));
        assertThat(statements).containsExactly("insert 1");
    }

    @Test
    void a_key_that_expires_between_the_two_statements_is_inserted_after_all() throws SQLException {
        Binding binding = Binding.of(
                List.of(key("a")),
                key -> key,
                keys -> statements.isEmpty() ? none("insert") : insertAll(keys),
                keys -> none("read"));

        assertThat(binding.fresh()).containsExactly(key("a"));
        assertThat(statements).containsExactly("insert", "read", "insert 1");
    }

    @Test
    void a_key_that_is_neither_free_nor_bound_is_given_up() {
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> Binding.of(List.of(key("a")), key -> key, keys -> none("insert"), keys -> none("read")))
                .withMessageContaining("default/library/a");
    }

    private List<KeyEntry> insertAll(List<ScopedKey> keys) {
        statements.add("insert " + keys.size());
        return entries(keys);
    }

    private List<KeyEntry> insertFirst(List<ScopedKey> keys) {
        statements.add("insert " + keys.size());
        return entries(keys.subList(0, 1));
    }

    private List<KeyEntry> readAll(Collection<ScopedKey> keys) {
        statements.add("read " + keys.size());
        return entries(List.copyOf(keys));
    }

    private List<KeyEntry> none(String statement) {
        statements.add(statement);
        return List.of();
    }

    private static List<KeyEntry> entries(List<ScopedKey> keys) {
        return keys.stream()
                .map(key -> new KeyEntry(
                        key,
                        KeyKind.ACCEPT,
                        KeyStatus.COMMITTED,
                        ORDER,
                        TestKeys.WORKFLOW,
                        TestKeys.id(),
                        null,
                        null,
                        false,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        null,
                        false))
                .toList();
    }
}
