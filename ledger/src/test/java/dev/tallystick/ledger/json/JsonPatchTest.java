package dev.tallystick.ledger.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.core.Json;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patches as RFC 6902 defines them, and the patches that lead from one document to another. */
class JsonPatchTest {

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
            {'a':1};         [{'op':'add','path':'/b','value':2}];                             {'a':1,'b':2}
            {'a':1};         [{'op':'add','path':'/a','value':2}];                             {'a':2}
            {'a':1};         [{'op':'add','path':'','value':[2]}];                             [2]
            [1,2];           [{'op':'add','path':'/0','value':0}];                             [0,1,2]
            [1,2];           [{'op':'add','path':'/2','value':3}];                             [1,2,3]
            [1,2];           [{'op':'add','path':'/-','value':3}];                             [1,2,3]
            {'a':{'b':[1]}}; [{'op':'add','path':'/a/b/1','value':2}];                         {'a':{'b':[1,2]}}
            [[1],[2]];       [{'op':'add','path':'/1/0','value':0}];                           [[1],[0,2]]
            {'a':1,'b':2};   [{'op':'remove','path':'/a'}];                                    {'b':2}
            [1,2,3];         [{'op':'remove','path':'/2'}];                                    [1,2]
            {'a':[1,2]};     [{'op':'remove','path':'/a/0'}];                                  {'a':[2]}
            {'a':1};         [{'op':'replace','path':'/a','value':null}];                      {'a':null}
            [1,2];           [{'op':'replace','path':'/1','value':3}];                         [1,3]
            [1,2];           [{'op':'replace','path':'','value':{}}];                          {}
            {'a':1};         [{'op':'move','from':'/a','path':'/b'}];                          {'b':1}
            [1,2,3];         [{'op':'move','from':'/0','path':'/2'}];                          [2,3,1]
            {'a':1};         [{'op':'move','from':'/a','path':'/a'}];                          {'a':1}
            {'a':{'b':1}};   [{'op':'copy','from':'/a','path':'/a/c'}];                        {'a':{'b':1,'c':{'b':1}}}
            {'a':1};         [{'op':'test','path':'/a','value':1}];                            {'a':1}
            {'a/b':1};       [{'op':'remove','path':'/a~1b'}];                                 {}
            {'~1':1};        [{'op':'remove','path':'/~01'}];                                  {}
            {'':{'':1}};     [{'op':'remove','path':'//'}];                                    {'':{}}
            {'a':1};         [];                                                               {'a':1}
            """)
    void a_patch_is_applied(String before, String patch, String after) {
        assertThat(patch(patch).applyTo(json(before))).isEqualTo(json(after));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
            {'a':1};     [{'op':'remove','path':'/b'}];                     there is nothing at '/b'
            {'a':1};     [{'op':'replace','path':'/b','value':1}];          there is nothing at '/b'
            {'a':1};     [{'op':'add','path':'/a/b','value':1}];            there is nothing at '/a/b'
            {'a':1};     [{'op':'add','path':'/b/c','value':1}];            there is nothing at
            {'a':'x'};   [{'op':'test','path':'/a/0','value':1}];           there is nothing at '/a/0'
            {'a':null};  [{'op':'test','path':'/a/0','value':1}];           there is nothing at '/a/0'
            {'a':true};  [{'op':'test','path':'/a/0','value':1}];           there is nothing at '/a/0'
            [1,2];       [{'op':'add','path':'/3','value':1}];              there is nothing at '/3'
            [1,2];       [{'op':'remove','path':'/2'}];                     there is nothing at '/2'
            [1,2];       [{'op':'remove','path':'/-'}];                     there is nothing at '/-'
            [1,2];       [{'op':'remove','path':'/01'}];                    there is nothing at '/01'
            [1,2];       [{'op':'remove','path':'/+1'}];                    there is nothing at '/+1'
            [1,2];       [{'op':'remove','path':'/1a'}];                    there is nothing at '/1a'
            [1,2];       [{'op':'remove','path':'/:'}];                     there is nothing at '/:'
            [1,2];       [{'op':'remove','path':'//'}];                     there is nothing at '//'
            [1,2];       [{'op':'remove','path':'/~1'}];                    there is nothing at '/~1'
            [1,2];       [{'op':'remove','path':'/'}];                      there is nothing at '/'
            [1,2];       [{'op':'remove','path':'/9999999999'}];            there is nothing at '/9999999999'
            {'a':1};     [{'op':'remove','path':''}];                       a patch cannot delete the whole document
            {'a':1};     [{'op':'test','path':'/a','value':2}];             the test at '/a' fails
            """)
    void a_patch_that_does_not_fit_is_refused(String before, String patch, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> patch(patch).applyTo(json(before)))
                .withMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
            {};                                            a patch is an array of operations
            [1];                                           an operation of a patch is an object
            [{'path':'/a'}];                               lacks 'op'
            [{'op':1,'path':'/a'}];                        'op' of an operation is a string
            [{'op':'drop','path':'/a'}];                   'drop' is not a patch operation
            [{'op':'remove'}];                             lacks 'path'
            [{'op':'add','path':'/a'}];                    lacks 'value'
            [{'op':'move','path':'/a'}];                   lacks 'from'
            [{'op':'move','from':'/a','path':'/a/b'}];     '/a' cannot be moved into itself
            [{'op':'move','from':'','path':'/a'}];         cannot be moved into itself
            [{'op':'remove','path':'a'}];                  a pointer begins with '/'
            [{'op':'remove','path':'/a~'}];                '~' in a pointer must precede 0 or 1
            [{'op':'remove','path':'/~2'}];                '~' in a pointer must precede 0 or 1
            [{'op':'remove','path':'/~0~x'}];              '~' in a pointer must precede 0 or 1
            """)
    void what_is_no_patch_is_refused(String patch, String why) {
        assertThatIllegalArgumentException().isThrownBy(() -> patch(patch)).withMessageContaining(why);
    }

    @Test
    void something_is_moved_beside_what_begins_with_its_name() {
        assertThat(patch("[{'op':'move','from':'/a','path':'/ab'}]").applyTo(json("{'a':1}")))
                .isEqualTo(json("{'ab':1}"));
    }

    @Test
    void a_patch_has_ten_thousand_operations_at_most() {
        String one = "{'op':'add','path':'/-','value':1}";
        String most = "[" + (one + ",").repeat(JsonPatch.MOST_OPERATIONS - 1) + one + "]";

        assertThat(patch(most).applyTo(json("[]")))
                .isInstanceOfSatisfying(
                        Json.ArrayValue.class,
                        array -> assertThat(array.elements()).hasSize(10_000));
        assertThatIllegalArgumentException().isThrownBy(() -> patch("[" + one + "," + most.substring(1)));
    }

    @Test
    void all_copies_of_a_patch_count_together() {
        String list = "[" + "1,".repeat(499_998) + "1]";
        Json most = json("{'a':" + list + "}");
        String twice = "[{'op':'copy','from':'/a','path':'/b'},{'op':'copy','from':'/a','path':'/c'}]";

        assertThat(patch(twice).applyTo(most))
                .isInstanceOfSatisfying(
                        Json.ObjectValue.class,
                        object -> assertThat(object.members()).hasSize(3));
        Json more = json("{'a':[1," + list.substring(1) + "}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> patch(twice).applyTo(more))
                .withMessageContaining("copies or moves at most 1000000 values");
    }

    @Test
    void copies_do_not_make_a_document_too_long() {
        Json document = Json.parse("{\"a\":\"" + "x".repeat(9 << 20) + "\"}", JsonPatch.LIMITS);

        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> patch("[{'op':'copy','from':'/a','path':'/b'}]").applyTo(document));
        assertThat(patch("[{'op':'move','from':'/a','path':'/b'}]").applyTo(document))
                .isInstanceOf(Json.ObjectValue.class);
    }

    @Test
    void no_operation_makes_a_document_too_deep() {
        String deep = "[".repeat(254) + "]".repeat(254);
        for (String op : List.of("add", "replace")) {
            JsonPatch fits = patch("[{'op':'" + op + "','path':'/a/b','value':" + deep + "}]");
            assertThat(fits.applyTo(json("{'a':{'b':1}}"))).isInstanceOf(Json.ObjectValue.class);
            JsonPatch tooDeep = patch("[{'op':'" + op + "','path':'/a/b/c','value':" + deep + "}]");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> tooDeep.applyTo(json("{'a':{'b':{'c':1}}}")))
                    .withMessageContaining("256 deep");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> patch("[{'op':'copy','from':'/a','path':'/b/c/d'}]")
                        .applyTo(json("{'a':" + deep + ",'b':{'c':{}}}")))
                .withMessageContaining("256 deep");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
            {'a':1};             {'a':1};             []
            {'a':1};             [1];                 [{'op':'replace','path':'','value':[1]}]
            {'a/b':{'~':1}};     {'a/b':{'~':2}};     [{'op':'replace','path':'/a~1b/~0','value':2}]
            {'a':1};             {'b':1};             [{'op':'remove','path':'/a'},{'op':'add','path':'/b','value':1}]
            {'a':1,'c':1};       {'a':1,'c':2};       [{'op':'replace','path':'/c','value':2}]
            [1,2,3];             [1,3];               [{'op':'remove','path':'/1'}]
            [1,2,3];             [1,9,3];             [{'op':'replace','path':'/1','value':9}]
            [1,3];               [1,2,3];             [{'op':'add','path':'/1','value':2}]
            [1,2,3,4];           [1,4];               [{'op':'remove','path':'/2'},{'op':'remove','path':'/1'}]
            [];                  [1,2];               [{'op':'add','path':'/0','value':1},{'op':'add','path':'/1','value':2}]
            [1,1];               [1,1,1];             [{'op':'add','path':'/2','value':1}]
            [{'a':1},2];         [{'a':2},2];         [{'op':'replace','path':'/0/a','value':2}]
            """)
    void a_difference_names_what_has_changed(String before, String after, String patch) {
        assertThat(JsonDiff.between(json(before), json(after)).operations()).isEqualTo(json(patch));
    }

    @Test
    void a_difference_of_too_many_places_is_the_whole_document() {
        String ones = "[" + "1,".repeat(JsonPatch.MOST_OPERATIONS - 1) + "1]";
        String twos = ones.replace('1', '2');

        assertThat(JsonDiff.between(json(ones), json(twos)).operations().elements())
                .hasSize(JsonPatch.MOST_OPERATIONS);
        Json longer = json("[2," + twos.substring(1));
        assertThat(JsonDiff.between(json("[1," + ones.substring(1)), longer)
                        .operations()
                        .elements())
                .hasSize(1);
    }

    @Test
    void a_difference_leads_from_one_document_to_the_other() {
        SplittableRandom random = new SplittableRandom(6902);
        for (int i = 0; i < 2_000; i++) {
            Json before = value(random, 3);
            Json after = value(random, 3);

            assertThat(JsonDiff.between(before, after).applyTo(before))
                    .as("%s to %s", before.canonical(), after.canonical())
                    .isEqualTo(after);
        }
    }

    /** Few different values, so that documents have much in common. */
    private static Json value(SplittableRandom random, int depth) {
        int kind = depth == 0 ? 0 : random.nextInt(3);
        if (kind == 0) {
            return Json.of(random.nextInt(3));
        }
        StringBuilder text = new StringBuilder();
        for (String name : List.of("a", "b", "c", "d")) {
            if (random.nextBoolean()) {
                text.append(text.isEmpty() ? "" : ",")
                        .append(kind == 1 ? "" : "'" + name + "':")
                        .append(value(random, depth - 1).canonical().replace('"', '\''));
            }
        }
        return json(kind == 1 ? "[" + text + "]" : "{" + text + "}");
    }

    private static JsonPatch patch(String text) {
        return JsonPatch.of(json(text));
    }

    /** JSON with single quotes. */
    private static Json json(String text) {
        return Json.parse(text.replace('\'', '"'));
    }
}
