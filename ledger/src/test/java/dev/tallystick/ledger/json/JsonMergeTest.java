package dev.tallystick.ledger.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonMergeTest {

    @Test
    void a_change_on_one_side_is_taken() {
        assertMerged("{'a':1,'b':1}", "{'a':2,'b':1}", "{'a':1,'b':3}", "{'a':2,'b':3}", "[]");
        assertMerged("{'a':1}", "{'a':1,'x':{'y':1}}", "{}", "{'x':{'y':1}}", "[]");
        assertMerged("{'a':[1,2]}", "{'a':[1,2]}", "{'a':[2]}", "{'a':[2]}", "[]");
        assertMerged("1", "1", null, null, "[]");
    }

    @Test
    void the_same_change_on_both_sides_is_not_a_conflict() {
        assertMerged("{'a':1}", "{'a':2}", "{'a':2}", "{'a':2}", "[]");
        assertMerged("1", null, null, null, "[]");
        assertMerged(null, "{'a':1}", "{'a':1}", "{'a':1}", "[]");
    }

    @Test
    void different_changes_of_one_value_keep_the_first_and_record_both() {
        assertMerged(
                "{'a':{'b':1,'c':1}}",
                "{'a':{'b':2,'c':1}}",
                "{'a':{'b':3,'c':4}}",
                "{'a':{'b':2,'c':4}}",
                "[{'base':1,'dropped':3,'kept':2,'path':'/a/b'}]");
        assertMerged(
                "{'a':[1]}",
                "{'a':[1,2]}",
                "{'a':[1,3]}",
                "{'a':[1,2]}",
                "[{'base':[1],'dropped':[1,3],'kept':[1,2],'path':'/a'}]");
        assertMerged(null, "{'a':1}", "{'a':2}", "{'a':1}", "[{'dropped':2,'kept':1,'path':'/a'}]");
    }

    @Test
    void a_value_wins_over_its_removal() {
        assertMerged("{'a':1}", "{}", "{'a':2}", "{'a':2}", "[{'base':1,'kept':2,'path':'/a'}]");
        assertMerged("{'a':1}", "{'a':2}", "{}", "{'a':2}", "[{'base':1,'kept':2,'path':'/a'}]");
        assertMerged("1", null, "2", "2", "[{'base':1,'kept':2,'path':''}]");
    }

    @Test
    void the_first_side_may_be_kept_whole_with_the_other_on_record() {
        JsonMerge.Result both = JsonMerge.keepingFirst(json("{'a':1}"), json("{'a':2}"), json("{'b':3}"));
        assertThat(both.body()).isEqualTo(json("{'a':2}"));
        assertThat(both.conflicts()).isEqualTo(json("[{'base':{'a':1},'dropped':{'b':3},'kept':{'a':2},'path':''}]"));

        JsonMerge.Result deleted = JsonMerge.keepingFirst(json("1"), null, json("2"));
        assertThat(deleted.body()).isNull();
        assertThat(deleted.conflicts()).isEqualTo(json("[{'base':1,'dropped':2,'path':''}]"));
    }

    private static void assertMerged(
            @Nullable String base,
            @Nullable String first,
            @Nullable String second,
            @Nullable String body,
            String conflicts) {
        JsonMerge.Result result = JsonMerge.of(json(base), json(first), json(second));
        assertThat(result.body()).isEqualTo(json(body));
        assertThat(result.conflicts()).isEqualTo(json(conflicts));
    }

    private static @Nullable Json json(@Nullable String text) {
        return text == null ? null : Json.parse(text.replace('\'', '"'));
    }
}
