package dev.tallystick.engine.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class GraphYamlTest {

    private static final String GOOD = """
            workflow: sample
            nodes:
              start: {kind: trigger, next: [one, two]}
              one: {kind: worker, input: input, next: {to: end, when: one.ok}}
              two: {kind: worker, topic: others, input: "{'a': input.a}", next: end}
              end: {kind: worker, join: all, input: "[one, two]"}
            output: end
            """;

    @Test
    void a_graph_of_every_kind_of_node_survives_being_written_and_read() {
        Graph graph = Graph.named("everything")
                .version(3)
                .trigger("start")
                .worker("work", "job", "{'a': input.b}", Retry.DEFAULT.attempts(2))
                .topic("far", "topic", "work", Retry.DEFAULT)
                .await("child", "other", "input")
                .hook("round")
                .hook("votes", "vote", Duration.ofMinutes(5), 3)
                .timer("pause", Duration.ofMillis(1500))
                .task("ask", NodeAsk.group("finance"))
                .task(
                        "ask_ada",
                        NodeAsk.person("input.manager")
                                .about("{'amount': 1}")
                                .escalate(Duration.ofHours(8), "directors")
                                .escalate(Duration.ofHours(1), "owners"),
                        Duration.ofDays(2))
                .cycle("again", "round")
                .signal("tell", "input.job", "news", "{'text': 'so: here, it is # 1', 'list': [1, 2]}")
                .interrupt("stop", JobOutcome.CANCELLED, "'enough'")
                .worker("joined", "[work, far]")
                .join("joined")
                .from("start", "work", "far", "round", "child")
                .from("work", "joined")
                .from("far", "joined")
                .from("child", "votes", "pause", "ask", "ask_ada")
                .from("pause", "tell")
                .when("round", "round.round < 3", "again")
                .when("joined", "joined = 'bad'", "stop")
                .output("{'all': joined}")
                .build();

        assertThat(GraphYaml.read("everything.yaml", GraphYaml.write(graph))).isEqualTo(graph);
    }

    @Test
    void a_limit_survives_being_written_and_read() {
        for (GraphLimit limit : List.of(
                GraphLimit.per("input.customer").concurrency(2).rate(100, Duration.ofMinutes(1)),
                GraphLimit.per("$string(input.shop)").rate(5, Duration.ofSeconds(1)),
                GraphLimit.overall().concurrency(1))) {
            Graph graph = Graph.named("limited").trigger("start").limit(limit).build();

            assertThat(GraphYaml.read("limited.yaml", GraphYaml.write(graph))).isEqualTo(graph);
        }
        assertThat(GraphYaml.read("sample.yaml", limited("{key: input.customer, concurrency: 1, rate: 100, per: PT1M}"))
                        .limit())
                .isEqualTo(GraphLimit.per("input.customer").concurrency(1).rate(100, Duration.ofMinutes(1)));
    }

    @Test
    void a_limit_that_says_too_little_or_too_much_is_refused_with_its_place() {
        assertThat(problems(limited("{key: input.customer}")))
                .containsExactly("sample.yaml:2:1: a limit has a 'concurrency', a 'rate', or both:"
                        + " say how many jobs it lets through");
        assertThat(problems(limited("{rate: 5}")))
                .containsExactly(
                        "sample.yaml:2:1: a limit has 'rate' and 'per' together, e.g. rate: 100 and per: PT1M");
        assertThat(problems(limited("{concurrency: 0}")))
                .containsExactly("sample.yaml:2:1: a limit lets at least one job through");
        assertThat(problems(limited("{rate: 1001, per: PT1S}")))
                .singleElement()
                .asString()
                .contains("shorter time");
        assertThat(problems(limited("{concurrency: 1, key: 'input.'}")))
                .singleElement()
                .asString()
                .contains("not a valid JSONata");
        assertThat(problems(limited("{most: 1, concurrency: 1}")))
                .singleElement()
                .asString()
                .contains("limit has no 'most', only [concurrency, key, per, rate]");
        assertThat(problems("""
                workflow: sample
                limit: {concurrency: 1}
                nodes:
                  start: {kind: trigger, next: again}
                  again: {kind: await, workflow: sample, input: input}
                """)).singleElement().asString().contains("node 'again' awaits a job of its own workflow");
    }

    private static String limited(String limit) {
        return "workflow: sample\nlimit: " + limit + "\nnodes:\n  start: {kind: trigger}\n";
    }

    @Test
    void yaml_reads_as_what_the_builder_builds() {
        assertThat(GraphYaml.read("sample.yaml", GOOD))
                .isEqualTo(Graph.named("sample")
                        .trigger("start")
                        .worker("one", "input")
                        .topic("two", "others", "{'a': input.a}", Retry.DEFAULT)
                        .worker("end", "[one, two]")
                        .join("end")
                        .from("start", "one", "two")
                        .when("one", "one.ok", "end")
                        .from("two", "end")
                        .output("end")
                        .build());
    }

    @Test
    void a_transition_to_no_node_is_refused_with_its_place() {
        assertThat(problems(GOOD.replace("next: end}", "next: ende}")))
                .containsExactly(
                        "sample.yaml:5:3: node 'two' leads to 'ende', which is not a node: declare it, or correct the"
                                + " name; there are [start, one, two, end]");
    }

    @Test
    void a_node_that_is_never_reached_is_refused() {
        assertThat(problems(GOOD.replace("output:", "  alone: {kind: hook}\noutput:")))
                .containsExactly(
                        "sample.yaml:7:3: node 'alone' is never reached: lead to it from another node, or remove it");
    }

    @Test
    void several_ways_to_a_node_need_a_join_and_a_join_needs_several() {
        assertThat(problems(GOOD.replace("join: all, ", "")).getFirst())
                .startsWith(
                        "sample.yaml:6:3: node 'end' is reached from [one, two]: say that it joins them (join: all)");
        assertThat(problems(GOOD.replace("topic: others", "join: all, topic: others"))
                        .getFirst())
                .startsWith(
                        "sample.yaml:5:3: node 'two' joins, and there is nothing to join: only 'start' leads to it");
    }

    @Test
    void transitions_in_a_circle_are_refused_with_the_way_out() {
        assertThat(problems("""
                workflow: sample
                nodes:
                  start: {kind: trigger, next: one}
                  one: {kind: worker, input: input, join: all, next: two}
                  two: {kind: worker, input: input, next: one}
                """))
                .containsExactly(
                        "sample.yaml: nodes [one, two] lead back to 'one' by transitions alone: lead to a cycle node"
                                + " instead, and let that go back to 'one'");
    }

    @Test
    void a_name_that_expressions_cannot_refer_to_is_refused() {
        for (String word : List.of("true", "false", "null")) {
            assertThat(problems(GOOD.replace("two", word)))
                    .containsExactly("sample.yaml:5:3: node '" + word
                            + "': in expressions this is a word of its own; choose another name");
        }
        assertThat(GraphYaml.read("sample.yaml", GOOD.replace("two", "and")).places())
                .hasSize(4);
    }

    @Test
    void a_hook_that_takes_several_signals_names_them() {
        assertThat(problems(GOOD.replace("output:", "  alone: {kind: hook, takes: 3, timer: PT1S}\noutput:")))
                .containsExactly("sample.yaml:7:3: node 'alone' takes 3 signals, and names none:"
                        + " name the signal, or remove 'takes'");
    }

    @Test
    void an_interrupt_ends_its_job_in_one_of_the_ways_that_there_are() {
        String interrupt = "  stop: {kind: interrupt, outcome: %s}\noutput:";
        assertThat(problems(GOOD.replace("output:", interrupt.formatted("open"))))
                .containsExactly("sample.yaml:7:3: a job ends completed, failed, cancelled, timed_out, continued,"
                        + " got 'open'");
        assertThat(problems(GOOD.replace("output:", interrupt.formatted("continued"))))
                .containsExactly("sample.yaml:7:3: node 'stop' ends the job, and so cannot continue it as another:"
                        + " let it be completed, failed, cancelled or timed_out");
    }

    @Test
    void a_graph_with_too_many_nodes_is_refused_with_the_limit_and_what_to_do() {
        assertThat(problems(chain(1_001)))
                .containsExactly("sample.yaml: there are 1001 nodes, at most 1000 are possible:"
                        + " draw parts of it as workflows of their own, and await them");
        assertThat(GraphYaml.read("sample.yaml", chain(1_000)).places()).hasSize(1_000);
    }

    @Test
    void values_that_lie_too_deep_inside_each_other_are_refused() {
        assertThat(problems("workflow: " + "[".repeat(100_000)))
                .containsExactly(
                        "its values lie inside each other deeper than the 20 that are possible: a graph needs 5");
    }

    /** One node after the other. */
    private static String chain(int nodes) {
        StringBuilder yaml = new StringBuilder("workflow: chain\nnodes:\n  n1: {kind: trigger, next: n2}\n");
        for (int i = 2; i < nodes; i++) {
            yaml.append("  n%d: {kind: hook, next: n%d}\n".formatted(i, i + 1));
        }
        return yaml.append("  n%d: {kind: hook}\noutput: n%d.round\n".formatted(nodes, nodes))
                .toString();
    }

    @Test
    void a_missing_mapping_is_refused_with_an_example() {
        assertThat(problems(GOOD.replace("kind: worker, input: input,", "kind: worker,")))
                .containsExactly(
                        "sample.yaml:4:3: node 'one' has no 'input': say what the worker gets as a JSONata expression,"
                                + " e.g. input: input");
    }

    @Test
    void a_name_that_is_there_twice_is_refused() {
        assertThat(problems(GOOD.replace("  two:", "  one:")).getFirst())
                .isEqualTo("sample.yaml:5:3: 'one' is there twice: rename or remove one of them");
    }

    @Test
    void everything_that_is_wrong_is_said_at_once() {
        assertThat(problems("""
                workflow: sample
                version: one
                nodes:
                  start: {kind: triger}
                  one: {kind: worker, input: "input.", colour: red}
                  two: {kind: hook, timer: 5 minutes, takes: 1000}
                """))
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo("sample.yaml:2:1: 'version' is a whole number, got 'one'"),
                        second -> assertThat(second)
                                .startsWith("sample.yaml:4:11: node 'start': there is no kind 'triger'"),
                        third -> assertThat(third).startsWith("sample.yaml:5:40: node 'one': a worker has no 'colour'"),
                        fourth -> assertThat(fourth)
                                .startsWith("sample.yaml:5:23: 'input.' is not a valid JSONata expression"),
                        fifth -> assertThat(fifth).startsWith("sample.yaml:6:21: 'timer' is a duration"),
                        sixth -> assertThat(sixth).contains("node 'two': takes must be between 1 and 100, got 1000"));
    }

    @Test
    void what_is_no_yaml_or_nothing_is_refused() {
        assertThat(problems("a: [b").getFirst()).startsWith("it is no YAML: ");
        assertThat(problems("")).containsExactly("it is empty");
    }

    @Test
    void a_cycle_leads_back_to_where_every_way_to_it_has_passed() {
        assertThat(problems("""
                workflow: sample
                nodes:
                  start: {kind: trigger, next: [round, step]}
                  round: {kind: hook}
                  step: {kind: worker, input: input, next: again}
                  again: {kind: cycle, back: round}
                """).getFirst())
                .startsWith(
                        "sample.yaml:6:3: node 'again' goes back to 'round', and can be reached without passing it");
    }

    @Test
    void a_task_is_for_somebody_and_is_answered_once_before_the_hook_gives_up() {
        String asks =
                GOOD.replace("output:", "  ask: {kind: hook, %s}\noutput:").replace("next: end}", "next: [end, ask]}");

        assertThat(problems(asks.formatted("task: {group: a, person: input.b}")))
                .containsExactly("sample.yaml:7:21: a task is for a group or for a person: name one of them");
        assertThat(problems(asks.formatted("task: {group: a, escalate: {after: soon}, colour: red}")))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .startsWith("sample.yaml:7:63: the task of node 'ask' has no 'colour', only"),
                        second -> assertThat(second)
                                .isEqualTo("sample.yaml:7:38: 'group' is missing: say which group is asked then"),
                        third -> assertThat(third).startsWith("sample.yaml:7:49: 'after' is a duration"));
        assertThat(problems(asks.formatted("task: {group: a, escalate: [{after: PT0S, group: b}]}")))
                .containsExactly("sample.yaml:7:49: a task escalates after some time, got PT0S");
        assertThat(problems(asks.formatted(
                        "signal: go, takes: 2, timer: PT1H, task: {group: a, escalate: {after: PT1H, group: b}}")))
                .containsExactly(
                        "sample.yaml:7:3: node 'ask' asks people, and waits for the signal 'go': their answer is what it"
                                + " waits for; remove the signal, or make another hook of it",
                        "sample.yaml:7:3: node 'ask' asks people, and a task is answered once: remove 'takes', or ask in"
                                + " a cycle",
                        "sample.yaml:7:3: node 'ask' asks people, and would give up after PT1H, before its last"
                                + " escalation: be more patient, or escalate sooner");
    }

    private static List<String> problems(String yaml) {
        InvalidGraphException refused =
                catchThrowableOfType(InvalidGraphException.class, () -> GraphYaml.read("sample.yaml", yaml));
        return refused.problems();
    }
}
