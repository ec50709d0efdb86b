package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.Devices;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.Schedules;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyClient.NewJob;
import dev.tallystick.client.Tasks;
import dev.tallystick.client.Workflows;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.core.api.DeviceApi.DeviceView;
import dev.tallystick.core.api.JobApi.JobView;
import dev.tallystick.core.api.JobApi.Letter;
import dev.tallystick.core.api.JobApi.Letters;
import dev.tallystick.core.api.JobApi.Redriven;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.core.api.ScheduleApi.ScheduleList;
import dev.tallystick.core.api.ScheduleApi.ScheduleShown;
import dev.tallystick.core.api.ScheduleApi.ScheduleState;
import dev.tallystick.core.api.ScheduleApi.Triggered;
import dev.tallystick.core.api.TaskApi.Task;
import dev.tallystick.core.api.TaskApi.TaskDone;
import dev.tallystick.core.api.WorkflowApi.WorkflowShown;
import dev.tallystick.core.api.WorkflowApi.WorkflowVersion;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What is looked after through the Java SDK: jobs under way and closed, schedules, tasks, graphs, devices. */
@Timeout(120)
class ClientOperationsTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final Duration SOON = Duration.ofSeconds(30);

    private static ServerUnderTest server;
    private static TallyClient client;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        client = new TallyClient(server.server().address(), server.admin().token());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static IdempotencyKey key(String text) {
        return new IdempotencyKey(text);
    }

    private static UUID submit(String workflow, String input, String key) {
        return client.submit(NewJob.of(workflow, Json.parse(input)), key(key)).job();
    }

    @Test
    void a_job_is_signalled_cancelled_and_done_again() {
        UUID job = submit("sample.approval", "{\"order\":\"1\"}", "op:1");
        Json approval = Json.parse("{\"by\":\"ann\"}");

        TallyClient.Signalled first = client.signal(job, "approved", approval, key("op:1:signal"));
        TallyClient.Signalled again = client.signal(job, "approved", approval, key("op:1:signal"));
        assertThat(first).isEqualTo(new TallyClient.Signalled(job, "approved", false));
        assertThat(again).isEqualTo(new TallyClient.Signalled(job, "approved", true));
        assertThat(client.result(job, SOON).status()).isEqualTo("completed");

        TallyClient.JobAgain rerun = client.rerun(job, key("op:1:rerun"));
        assertThat(rerun.continuedFrom()).isEqualTo(job);
        assertThat(rerun.duplicate()).isFalse();
        assertThat(client.rerun(job, key("op:1:rerun"))).isEqualTo(new TallyClient.JobAgain(rerun.job(), job, true));
        TallyClient.JobAgain fork = client.fork(job, "reserve", key("op:1:fork"));
        assertThat(fork.continuedFrom()).isEqualTo(job);
        assertThat(fork.job()).isNotEqualTo(rerun.job());

        assertThat(client.cancel(rerun.job())).isEqualTo(new TallyClient.CancelRequested(rerun.job(), "open"));
        assertThat(client.result(rerun.job(), SOON).status()).isEqualTo("cancelled");
        assertThat(client.cancel(job).status()).isEqualTo("completed");
        client.cancel(fork.job());
    }

    @Test
    void dead_letters_are_read_page_by_page_redriven_and_discarded() {
        List<UUID> failed = new ArrayList<>();
        for (String key : List.of("op:2", "op:3", "op:4")) {
            UUID job = submit("sample.order", "\"no order\"", key);
            assertThat(client.result(job, SOON).status()).isEqualTo("failed");
            JobView.LastFailure last =
                    Objects.requireNonNull(client.jobs().find(job).lastError());
            assertThat(last.stackTrace()).startsWith(last.error()).contains("\n\tat ");
            failed.add(job);
        }

        Letters first = client.deadLetters().list(null, 2);
        Letters rest = client.deadLetters().list(first.next(), 2);
        Letter letter = first.letters().getFirst();
        assertThat(first.letters()).extracting(Letter::jobId).containsExactly(failed.get(0), failed.get(1));
        assertThat(rest.letters()).extracting(Letter::jobId).containsExactly(failed.get(2));
        assertThat(rest.next()).isNull();
        assertThat(letter.workflow()).isEqualTo("sample.order");
        assertThat(letter.reason()).isNotEmpty();
        assertThat(letter.ceiling()).isFalse();
        assertThat(letter.redrivenAs()).isNull();

        Redriven redriven = client.deadLetters().redrive(letter.jobId());
        assertThat(redriven.continuedFrom()).isEqualTo(letter.jobId());
        assertThat(client.deadLetters().redrive(letter.jobId())).isEqualTo(redriven);
        assertThat(client.deadLetters().find(letter.jobId()).redrivenAs()).isEqualTo(redriven.jobId());
        client.deadLetters().discard(failed.get(1));
        assertThatThrownBy(() -> client.deadLetters().find(failed.get(1))).isInstanceOf(RefusedException.class);
    }

    @Test
    void a_schedule_is_kept_paused_triggered_and_deleted() {
        Json input = Json.parse("{\"order\":\"n\"}");
        Schedules schedules = client.schedules();

        ScheduleState kept = schedules.put(
                "nightly",
                new Schedules.NewSchedule("sample.order", "0 3 * * *", "Europe/Berlin", input, Priority.LOW));
        assertThat(kept.cron()).isEqualTo("0 3 * * *");
        assertThat(kept.zone()).isEqualTo("Europe/Berlin");
        assertThat(kept.paused()).isFalse();
        assertThat(kept.firedFor()).isNull();
        assertThat(kept.trouble()).isNull();
        assertThat(schedules.find("nightly"))
                .isEqualTo(new ScheduleShown(kept, "admin", RawJson.of(input), Priority.LOW));
        assertThat(schedules.pause("nightly").paused()).isTrue();
        assertThat(schedules.resume("nightly").paused()).isFalse();

        schedules.put("weekly", Schedules.NewSchedule.of("sample.order", "0 3 * * 1", "UTC", input));
        ScheduleList first = schedules.list(null, 1);
        assertThat(first.schedules()).extracting(ScheduleState::name).containsExactly("nightly");
        assertThat(schedules.list(first.next(), 1).schedules())
                .extracting(ScheduleState::name)
                .containsExactly("weekly");

        Triggered started = schedules.trigger("nightly", key("op:5"));
        assertThat(started.duplicate()).isFalse();
        assertThat(schedules.trigger("nightly", key("op:5")))
                .isEqualTo(new Triggered(started.jobId(), "nightly", "op:5", true));
        assertThat(client.result(started.jobId(), SOON).status()).isEqualTo("completed");

        schedules.delete("nightly");
        schedules.delete("weekly");
        assertThat(schedules.list(null, 10)).isEqualTo(new ScheduleList(List.of(), null));
    }

    @Test
    void a_task_is_claimed_handed_on_and_answered() {
        UUID job = submit("sample.review", "{\"order\":\"1\"}", "op:6");
        Tasks tasks = client.tasks();
        Task asked = Eventually.value(
                        "the reviewers are asked",
                        () -> tasks.ofGroup("reviewers", null, 10),
                        page -> !page.tasks().isEmpty())
                .tasks()
                .getFirst();
        UUID task = asked.taskId();

        assertThat(asked.jobId()).isEqualTo(job);
        assertThat(asked.group()).isEqualTo("reviewers");
        assertThat(asked.assignee()).isNull();
        assertThat(asked.isOpen()).isTrue();
        assertThat(tasks.list(null, 10).tasks()).containsExactly(asked);
        assertThat(tasks.claim(task, "ann")).isEqualTo(new TaskDone(task, false));
        assertThat(tasks.claim(task, "ann")).isEqualTo(new TaskDone(task, true));
        assertThat(tasks.heldBy("ann", null, 10).tasks())
                .extracting(Task::assignee)
                .containsExactly("ann");
        tasks.release(task, "ann");
        tasks.escalate(task, "chiefs");
        assertThat(tasks.find(task).group()).isEqualTo("chiefs");
        assertThat(tasks.find(task).escalations()).isEqualTo(1);

        Json answer = Json.parse("{\"by\":\"bob\"}");
        assertThat(tasks.resolve(task, answer, null, key("op:6:form")).duplicate())
                .isFalse();
        assertThat(tasks.resolve(task, answer, null, key("op:6:form")).duplicate())
                .isTrue();
        assertThat(tasks.find(task).isOpen()).isFalse();
        assertThat(client.result(job, SOON).status()).isEqualTo("completed");
    }

    @Test
    void a_graph_is_deployed_and_shown() {
        String yaml = "workflow: drawn\nnodes:\n  asked:\n    kind: trigger\noutput: \"'drawn'\"\n";
        Workflows workflows = client.workflows();

        WorkflowShown deployed = workflows.deploy("drawn", 1, yaml);

        assertThat(deployed.graph()).isEqualTo(yaml);
        assertThat(deployed.deployedBy()).isEqualTo("admin");
        assertThat(workflows.find("drawn", 1)).isEqualTo(deployed);
        assertThat(workflows.versions("drawn")).containsExactly(new WorkflowVersion("drawn", 1, "graph", null));
        assertThat(workflows.versions("nowhere")).isEmpty();
        assertThat(workflows.list()).contains(new WorkflowVersion("sample.order", 1, "code", null));
        WorkflowShown code = workflows.find("sample.order", 1);
        assertThat(code).isEqualTo(new WorkflowShown("sample.order", 1, "code", null, null, null, null));
    }

    @Test
    void a_device_is_registered_rotated_and_revoked() {
        String key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
        String other = "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=";
        Devices devices = client.devices();

        DeviceView registered = devices.register("laptop", key);
        DeviceView rotated = devices.rotate("laptop", key, other);
        devices.revoke("laptop");

        assertThat(registered.member()).isEqualTo("admin");
        assertThat(registered.publicKey()).isEqualTo(key);
        assertThat(registered.rotatedAt()).isNull();
        assertThat(rotated.publicKey()).isEqualTo(other);
        assertThat(rotated.rotatedAt()).isNotNull();
        assertThat(devices.list())
                .singleElement()
                .satisfies(device -> assertThat(device.revokedAt()).isNotNull());
    }
}
