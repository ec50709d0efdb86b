package dev.tallystick.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
}
