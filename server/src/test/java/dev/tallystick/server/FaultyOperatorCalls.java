package dev.tallystick.server;

import static dev.tallystick.server.FaultyCalls.key;
import static dev.tallystick.server.FaultyCalls.read;
import static dev.tallystick.server.FaultyCalls.row;

import dev.tallystick.client.Schedules;
import dev.tallystick.client.Tasks;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Json;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.DeviceApi.DeviceView;
import dev.tallystick.core.api.ScheduleApi.ScheduleShown;
import dev.tallystick.core.api.TaskApi.Task;
import dev.tallystick.core.api.TaskApi.TaskList;
import dev.tallystick.server.FaultyCalls.Ready;
import dev.tallystick.server.FaultyCalls.Repeat;
import dev.tallystick.server.FaultyCalls.Row;
import dev.tallystick.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** The calls of those who look after jobs, schedules, tasks, workflows, members, tokens, meshes and devices. */
final class FaultyOperatorCalls {

    private static final Json ORDER = Json.parse("{\"order\":\"1\"}");
    private static final Json APPROVAL = Json.parse("{\"by\":\"ann\"}");
    private static final Schedules.NewSchedule NIGHTLY =
            Schedules.NewSchedule.of("sample.order", "0 3 * * *", "UTC", ORDER);
    private static final Duration SOON = Duration.ofSeconds(30);

    static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        operations(rows);
        members(rows);
        return rows;
    }

    private static void operations(List<Row> rows) {
        rows.add(read(
                "deadLetters.list", (client, server) -> client.deadLetters().list(null, 10)));
        rows.add(read(
                "deadLetters.find", (client, server) -> client.deadLetters().find(server.failed)));
        rows.add(row("deadLetters.redrive", Repeat.SAME, (server, name) -> {
            UUID job = server.submitted(name, "sample.order", Json.of("no order"));
            server.direct.result(job, SOON);
            return new Ready(
                    client -> client.deadLetters().redrive(job),
                    () -> server.direct.deadLetters().find(job).redrivenAs() != null);
        }));
        rows.add(row("deadLetters.discard", Repeat.GONE, (server, name) -> {
            UUID job = server.submitted(name, "sample.order", Json.of("no order"));
            server.direct.result(job, SOON);
            return new Ready(
                    client -> client.deadLetters().discard(job),
                    () -> !server.has(() -> server.direct.deadLetters().find(job)));
        }));
        rows.add(row(
                "schedules.put",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.schedules().put(name, NIGHTLY),
                        () -> server.has(() -> server.direct.schedules().find(name)))));
        rows.add(read("schedules.list", (client, server) -> client.schedules().list(null, 10)));
        rows.add(scheduled("schedules.find", Repeat.READS, (schedules, name) -> schedules.find(name), shown -> true));
        rows.add(row("schedules.delete", Repeat.GONE, (server, name) -> {
            server.direct.schedules().put(name, NIGHTLY);
            return new Ready(
                    client -> client.schedules().delete(name),
                    () -> !server.has(() -> server.direct.schedules().find(name)));
        }));
        rows.add(scheduled(
                "schedules.pause",
                Repeat.SAME,
                (schedules, name) -> schedules.pause(name),
                shown -> shown.schedule().paused()));
        rows.add(scheduled(
                "schedules.resume",
                Repeat.SAME,
                (schedules, name) -> schedules.resume(name),
                shown -> !shown.schedule().paused()));
        rows.add(row("schedules.trigger", Repeat.SAME, (server, name) -> {
            server.direct.schedules().put(name, NIGHTLY);
            return new Ready(
                    client -> client.schedules().trigger(name, key(name)),
                    () -> server.direct.schedules().trigger(name, key(name)).duplicate());
        }));
        rows.add(read("tasks.list", (client, server) -> client.tasks().list(null, 10)));
        rows.add(read("tasks.ofGroup", (client, server) -> client.tasks().ofGroup("reviewers", null, 10)));
        rows.add(read("tasks.heldBy", (client, server) -> client.tasks().heldBy("ann", null, 10)));
        rows.add(asked("tasks.find", Repeat.READS, (tasks, task) -> tasks.find(task), task -> true));
        rows.add(asked(
                "tasks.claim",
                Repeat.SAME,
                (tasks, task) -> tasks.claim(task, "ann"),
                task -> "ann".equals(task.assignee())));
        rows.add(row("tasks.release", Repeat.SAME, (server, name) -> {
            UUID task = task(server, name);
            server.direct.tasks().claim(task, "ann");
            return new Ready(
                    client -> client.tasks().release(task, "ann"),
                    () -> server.direct.tasks().find(task).assignee() == null);
        }));
        rows.add(asked(
                "tasks.escalate",
                Repeat.SAME,
                (tasks, task) -> tasks.escalate(task, "chiefs"),
                task -> "chiefs".equals(task.group())));
        rows.add(asked(
                "tasks.resolve",
                Repeat.SAME,
                (tasks, task) -> tasks.resolve(task, APPROVAL, "ann", key(task.toString())),
                task -> !task.isOpen()));
        rows.add(read("workflows.list", (client, server) -> client.workflows().list()));
        rows.add(read(
                "workflows.versions", (client, server) -> client.workflows().versions("sample.order")));
        rows.add(read("workflows.find", (client, server) -> client.workflows().find("sample.order", 1)));
        rows.add(row(
                "workflows.deploy",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.workflows().deploy(name, 1, graph(name)),
                        () -> server.has(() -> server.direct.workflows().find(name, 1)))));
        rows.add(row("workflows.remove", Repeat.SAME, (server, name) -> {
            server.direct.workflows().deploy(name, 1, graph(name));
            return new Ready(
                    client -> client.workflows().remove(name, 1),
                    () -> server.direct.workflows().find(name, 1).removedAt() != null);
        }));
    }

    private static void members(List<Row> rows) {
        rows.add(read("members.me", (client, server) -> client.members().me()));
        rows.add(read("members.list", (client, server) -> client.members().list()));
        rows.add(read("members.find", (client, server) -> client.members().find("admin")));
        rows.add(row(
                "members.put",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.members().put(name, Role.MEMBER),
                        () -> server.has(() -> server.direct.members().find(name)))));
        rows.add(row("members.remove", Repeat.GONE, (server, name) -> {
            server.direct.members().put(name, Role.MEMBER);
            return new Ready(
                    client -> client.members().remove(name),
                    () -> !server.has(() -> server.direct.members().find(name)));
        }));
        rows.add(read("tokens.list", (client, server) -> client.tokens().list("admin")));
        rows.add(row("tokens.issue", Repeat.TWICE, (server, name) -> {
            server.direct.members().put(name, Role.MEMBER);
            return new Ready(
                    client -> client.tokens().issue(name, null),
                    () -> !server.direct.tokens().list(name).isEmpty());
        }));
        rows.add(row("tokens.rotate", Repeat.TWICE, (server, name) -> {
            server.direct.members().put(name, Role.MEMBER);
            String token = server.direct.tokens().issue(name, null).id();
            return new Ready(
                    client -> client.tokens().rotate(token, null),
                    () -> server.direct.tokens().list(name).size() > 1);
        }));
        rows.add(row("tokens.revoke", Repeat.SAME, (server, name) -> {
            server.direct.members().put(name, Role.MEMBER);
            String token = server.direct.tokens().issue(name, null).id();
            return new Ready(
                    client -> client.tokens().revoke(token),
                    () -> server.direct.tokens().list(name).getFirst().revokedAt() != null);
        }));
        rows.add(read("meshes.list", (client, server) -> client.meshes().list()));
        rows.add(row(
                "meshes.create",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.meshes().create(name),
                        () -> server.direct.meshes().list().contains(name))));
        rows.add(row("meshes.adminToken", Repeat.TWICE, (server, name) -> {
            server.direct.meshes().create(name);
            return Ready.of(client -> client.meshes().adminToken(name, null));
        }));
        rows.add(row(
                "devices.register",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.devices().register(name, publicKey(name)),
                        () -> device(server, name).isPresent())));
        rows.add(row("devices.rotate", Repeat.SAME, (server, name) -> {
            server.direct.devices().register(name, publicKey(name));
            return new Ready(
                    client -> client.devices().rotate(name, publicKey(name), publicKey(name + "'")),
                    () -> device(server, name).orElseThrow().publicKey().equals(publicKey(name + "'")));
        }));
        rows.add(read("devices.list", (client, server) -> client.devices().list()));
        rows.add(row("devices.revoke", Repeat.SAME, (server, name) -> {
            server.direct.devices().register(name, publicKey(name));
            return new Ready(
                    client -> client.devices().revoke(name),
                    () -> device(server, name).orElseThrow().revokedAt() != null);
        }));
    }

    private static Row scheduled(
            String call, Repeat repeat, BiConsumer<Schedules, String> asking, Predicate<ScheduleShown> happened) {
        return row(call, repeat, (server, name) -> {
            server.direct.schedules().put(name, NIGHTLY);
            return new Ready(
                    client -> asking.accept(client.schedules(), name),
                    () -> happened.test(server.direct.schedules().find(name)));
        });
    }

    private static Row asked(String call, Repeat repeat, BiConsumer<Tasks, UUID> asking, Predicate<Task> happened) {
        return row(call, repeat, (server, name) -> {
            UUID task = task(server, name);
            return new Ready(
                    client -> asking.accept(client.tasks(), task),
                    () -> happened.test(server.direct.tasks().find(task)));
        });
    }

    private static UUID task(FaultyCalls server, String name) {
        UUID job = server.submitted(name, "sample.review", ORDER);
        return Eventually.value("a person is asked", () -> openTask(server, job), Optional::isPresent)
                .orElseThrow()
                .taskId();
    }

    private static Optional<Task> openTask(FaultyCalls server, UUID job) {
        TaskList page = server.direct.tasks().list(null, 100);
        while (true) {
            Optional<Task> found = page.tasks().stream()
                    .filter(task -> task.jobId().equals(job))
                    .findFirst();
            if (found.isPresent() || page.next() == null) {
                return found;
            }
            page = server.direct.tasks().list(page.next(), 100);
        }
    }

    private static String graph(String name) {
        return "workflow: " + name + "\nnodes:\n  asked:\n    kind: trigger\noutput: \"'drawn'\"\n";
    }

    /** A device's key may be any 32 bytes. */
    private static String publicKey(String name) {
        return Base64.getEncoder().encodeToString(Fingerprint.of("device", name).bytes());
    }

    private static Optional<DeviceView> device(FaultyCalls server, String name) {
        return server.direct.devices().list().stream()
                .filter(device -> device.name().equals(name))
                .findFirst();
    }

    private FaultyOperatorCalls() {}
}
