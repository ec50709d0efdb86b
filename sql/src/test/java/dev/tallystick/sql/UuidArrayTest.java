package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.TestPostgres;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Postgres has the last word on its own format. */
class UuidArrayTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    private static final UUID ONE = new UUID(0x0123456789abcdefL, 0xfedcba9876543210L);
    private static final UUID OTHER = new UUID(-1, 1);

    private record Seen(String text, int elements) {}

    private static Seen seen(@Nullable UUID... values) {
        return Database.on(postgres.dataSource())
                .read(
                        "look at an array",
                        tx -> tx.first(
                                        "select array_to_string(a, ',', '-') as t, cardinality(a) as n"
                                                + " from (select ?::uuid[] as a) as given",
                                        row -> new Seen(row.getString("t"), row.getInt("n")),
                                        (Object) values)
                                .orElseThrow());
    }

    @Test
    void elements_arrive_in_their_order() {
        assertThat(seen(ONE, OTHER, ONE)).isEqualTo(new Seen(ONE + "," + OTHER + "," + ONE, 3));
        assertThat(seen(OTHER)).isEqualTo(new Seen(OTHER.toString(), 1));
    }

    @Test
    void an_array_may_be_empty_or_have_nulls() {
        assertThat(seen()).isEqualTo(new Seen("", 0));
        assertThat(seen(ONE, null, OTHER, null)).isEqualTo(new Seen(ONE + ",-," + OTHER + ",-", 4));
        assertThat(seen(new UUID[] {null})).isEqualTo(new Seen("-", 1));
    }

    @Test
    void a_batch_of_any_size_arrives() {
        UUID[] many = new UUID[5_000];
        Arrays.setAll(many, i -> new UUID(i, ~i));

        assertThat(List.of(seen(many).text().split(",")))
                .containsExactlyElementsOf(
                        Arrays.stream(many).map(UUID::toString).toList());
    }
}
