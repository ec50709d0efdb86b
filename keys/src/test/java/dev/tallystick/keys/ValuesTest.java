package dev.tallystick.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "a\0b", "line\nbreak", "\uD800", "\u001b[31m"})
    void a_name_that_cannot_be_stored_or_printed_is_refused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Scope(name, "library"));
        assertThatIllegalArgumentException().isThrownBy(() -> new Scope("default", name));
        assertThatIllegalArgumentException().isThrownBy(() -> new KeyOwner(name));
    }

    @Test
    void a_name_that_is_too_long_is_refused() {
        String longest = "x".repeat(Scope.MAX_LENGTH);

        assertThat(new Scope(longest, longest).member()).hasSize(Scope.MAX_LENGTH);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Scope("default", longest + "x"))
                .withMessage("the name of a member has 1 to 140 characters, got 141");
        assertThatIllegalArgumentException().isThrownBy(() -> new KeyOwner("x".repeat(256)));
    }

    @Test
    void a_stored_response_is_equal_by_content_and_cannot_be_changed_from_outside() {
        byte[] bytes = {1, 2, 3};
        StoredResponse response = StoredResponse.of(bytes);
        bytes[0] = 9;
        response.bytes()[1] = 9;

        assertThat(response)
                .isEqualTo(StoredResponse.of(new byte[] {1, 2, 3}))
                .hasSameHashCodeAs(StoredResponse.of(new byte[] {1, 2, 3}))
                .isNotEqualTo(StoredResponse.EMPTY);
    }

    @Test
    void a_stored_response_has_a_mebibyte_at_most() {
        assertThat(StoredResponse.of(new byte[StoredResponse.MAX_BYTES]).bytes())
                .hasSize(1_048_576);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoredResponse.of(new byte[StoredResponse.MAX_BYTES + 1]))
                .withMessageContaining("1048576");
    }

    @Test
    void a_stored_response_is_read_as_text_and_shown_by_its_size() {
        StoredResponse response = StoredResponse.of("größe");

        assertThat(response.text()).isEqualTo("größe");
        assertThat(response.size()).isEqualTo(7);
        assertThat(response).hasToString("StoredResponse[7 bytes]");
        assertThat(response.hashCode()).isNotEqualTo(StoredResponse.EMPTY.hashCode());
        assertThat(Verdict.commit(response)).isEqualTo(Verdict.commit("größe"));
        assertThat(Verdict.reject(response)).isEqualTo(Verdict.reject("größe"));
    }

    @Test
    void a_key_and_an_owner_are_shown_by_their_names() {
        assertThat(new ScopedKey(new Scope("mesh", "shop"), new IdempotencyKey("order-42")))
                .hasToString("mesh/shop/order-42");
        assertThat(new KeyOwner("x".repeat(KeyOwner.MAX_LENGTH))).hasToString("x".repeat(255));
    }

    @Test
    void a_reused_key_shows_how_the_two_requests_begin() {
        ScopedKey key = ScopedKey.of("order-42");

        assertThat(KeyReuse.of(key, new Fingerprint("ab".repeat(32)), new Fingerprint("cd".repeat(32))))
                .isEqualTo(new KeyReuse(key, "abababababababab", "cdcdcdcdcdcdcdcd"));
    }

    @Test
    void a_doubt_is_taken_once_and_by_the_same_request_alone() {
        UnrecordedVerdicts doubts = new UnrecordedVerdicts();
        ScopedKey key = ScopedKey.of("order-42");
        UnrecordedVerdicts.Doubt doubt = doubt(key);
        doubts.remember(key, doubt);

        assertThat(doubts.take(ScopedKey.of("order-43"), doubt.fingerprint())).isNull();
        assertThat(doubts.take(key, new Fingerprint("cd".repeat(32)))).isNull();
        assertThat(doubts.take(key, doubt.fingerprint())).isSameAs(doubt);
        assertThat(doubts.take(key, doubt.fingerprint())).isNull();
    }

    @Test
    void of_too_many_doubts_the_oldest_is_forgotten() {
        UnrecordedVerdicts doubts = new UnrecordedVerdicts();
        for (int i = 0; i <= UnrecordedVerdicts.MAX; i++) {
            ScopedKey key = ScopedKey.of("order-" + i);
            doubts.remember(key, doubt(key));
        }
        Fingerprint fingerprint = new Fingerprint("ab".repeat(32));

        assertThat(doubts.take(ScopedKey.of("order-0"), fingerprint)).isNull();
        assertThat(doubts.take(ScopedKey.of("order-1"), fingerprint)).isNotNull();
        assertThat(doubts.take(ScopedKey.of("order-" + UnrecordedVerdicts.MAX), fingerprint))
                .isNotNull();
    }

    private static UnrecordedVerdicts.Doubt doubt(ScopedKey key) {
        Fingerprint fingerprint = new Fingerprint("ab".repeat(32));
        return new UnrecordedVerdicts.Unconfirmed(
                new ReserveClaim(key, fingerprint, new UUID(0, 1), new KeyOwner("me"), false));
    }
}
