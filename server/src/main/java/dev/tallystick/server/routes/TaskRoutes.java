package dev.tallystick.server.routes;

import dev.tallystick.broker.member.MemberInfo;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.core.api.TaskApi.ForPerson;
import dev.tallystick.core.api.TaskApi.HandOn;
import dev.tallystick.core.api.TaskApi.ResolveTask;
import dev.tallystick.core.api.TaskApi.Task;
import dev.tallystick.core.api.TaskApi.TaskDone;
import dev.tallystick.core.api.TaskApi.TaskList;
import dev.tallystick.engine.TaskDesk;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.TaskOutcome;
import dev.tallystick.workflow.TaskView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Tasks that jobs give to people: find, claim, release, pass on, answer. */
public final class TaskRoutes {

    private static final String PATH = "/v1/tasks";
    private static final int USUAL_PAGE = 50;

    private final TaskDesk desk;
    private final BiFunction<String, String, Optional<MemberInfo>> people;
    private final BudgetGuard budgetGuard;

    /** @param people finds the member of a mesh by name */
    public TaskRoutes(TaskDesk desk, BiFunction<String, String, Optional<MemberInfo>> people, BudgetGuard budgetGuard) {
        this.desk = desk;
        this.people = people;
        this.budgetGuard = budgetGuard;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PATH, this::list)
                        .summary("Open tasks of the mesh, the oldest first.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("group", "only what this group is asked")
                        .query("person", "only what this person has")
                        .query("after", "only those after this task: the next of the page before")
                        .limit(USUAL_PAGE, TaskDesk.LARGEST_PAGE)
                        .answers(TaskList.class),
                Route.get(PATH + "/{task}", this::show)
                        .summary("A task, also one that is over.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .answers(Task.class)
                        .refuses(ProblemCode.NOT_FOUND),
                changing("claim", ForPerson.class, this::claim)
                        .summary("Take a task: others leave it alone from now on."),
                changing("release", ForPerson.class, this::release)
                        .summary("Give a task back, for others of its group to claim."),
                changing("escalate", HandOn.class, this::escalate)
                        .summary("Hand a task to another group, even if a member holds it."),
                changing("resolve", ResolveTask.class, this::resolve)
                        .summary("Answer a task: its job continues with this. The same key again is the same answer.")
                        .underKey()
                        .statuses(201, 200)
                        .refuses(ProblemCode.OVER_LIMIT));
    }

    private static <I extends Record> Route changing(String verb, Class<I> request, Route.Action<I> action) {
        return Route.post(PATH + "/{task}/" + verb, request, action)
                .roles(Role.MEMBER)
                .answers(TaskDone.class)
                .refuses(ProblemCode.NOT_FOUND, ProblemCode.TASK_HELD, ProblemCode.TASK_OVER);
    }

    private Answer list(Call call) {
        String mesh = call.member().mesh();
        String group = call.parameter("group");
        String person = call.parameter("person");
        String last = call.parameter("after");
        TaskId after = last == null ? null : new TaskId(Call.idOf(last).orElseThrow(Call::notFound));
        int limit = call.number("limit", USUAL_PAGE, 1, TaskDesk.LARGEST_PAGE);
        if (group != null && person != null) {
            throw new Problem(ProblemCode.MALFORMED_REQUEST, "name a group or a person, not both");
        }
        List<TaskView> found = group != null
                ? desk.ofGroup(mesh, group, after, limit)
                : person != null
                        ? desk.heldBy(mesh, Call.understood(() -> personNamed(mesh, person)), after, limit)
                        : desk.all(mesh, after, limit);
        List<Task> page = found.stream().map(task -> view(task, null)).toList();
        return Answer.ok(
                new TaskList(page, page.size() < limit ? null : page.getLast().taskId()));
    }

    private Answer show(Call call) {
        TaskDesk.Found found = desk.find(call.member().mesh(), task(call)).orElseThrow(Call::notFound);
        return Answer.ok(view(found.task(), found.over()));
    }

    private Answer claim(Call call, ForPerson by) {
        Person person = person(call, by.person());
        return Answer.ok(
                done(call, Call.understood(() -> desk.claim(call.member().mesh(), task(call), person))));
    }

    private Answer release(Call call, ForPerson by) {
        Person person = person(call, by.person());
        return Answer.ok(done(call, desk.release(call.member().mesh(), task(call), person)));
    }

    private Answer escalate(Call call, HandOn to) {
        return Answer.ok(
                done(call, Call.understood(() -> desk.escalate(call.member().mesh(), task(call), to.group()))));
    }

    private Answer resolve(Call call, ResolveTask resolution) {
        Person person = person(call, resolution.person());
        Json answer = resolution.answer() == null ? Json.ofNull() : resolution.answer();
        // Keys are scoped to a member: another member's equal key is another answer.
        String key = call.member().id() + "/" + call.key().value();
        boolean over = desk.find(call.member().mesh(), task(call))
                .map(found -> found.over() != null)
                .orElse(false);
        Fingerprint request = Fingerprint.of("resolve", task(call).toString(), answer.canonical());
        return budgetGuard.spend(call, over, call.key(), request, () -> {
            TaskDone done = done(
                    call,
                    Call.understood(() ->
                            desk.resolve(call.member().mesh(), task(call), person, answer.canonicalBytes(), key)));
            return done.duplicate() ? Answer.ok(done).header(Submissions.REPLAYED, "true") : Answer.created(done);
        });
    }

    private static TaskId task(Call call) {
        return new TaskId(call.id("task"));
    }

    private static TaskDone done(Call call, TaskOutcome outcome) {
        return switch (outcome) {
            case TaskOutcome.Done done -> new TaskDone(call.id("task"), done.duplicate());
            case TaskOutcome.HeldBy other ->
                throw new Problem(ProblemCode.TASK_HELD, other.person() + " has it")
                        .with("assignee", Json.of(other.person()));
            case TaskOutcome.Over over -> throw new Problem(ProblemCode.TASK_OVER, "the task " + over.how());
            case TaskOutcome.NoSuchTask none -> throw Call.notFound();
        };
    }

    private Person person(Call call, @Nullable String named) {
        Member caller = call.member();
        if (named != null && !named.equals(caller.name()) && !caller.may(Role.ADMIN)) {
            throw new Problem(ProblemCode.FORBIDDEN, "only an admin acts for others");
        }
        return named == null || named.equals(caller.name())
                ? own(caller)
                : Call.understood(() -> personNamed(caller.mesh(), named));
    }

    /** The caller, who owns the name only if it was not given to another member since. */
    private Person own(Member caller) {
        return Optional.of(personNamed(caller.mesh(), caller.name()))
                .filter(holder -> holder.id().equals(caller.id()))
                .orElseGet(() -> new Person(caller.id(), caller.name(), Instant.MAX));
    }

    /** The member that has this name now, or a person who is not a member. */
    private Person personNamed(String mesh, String name) {
        return people.apply(mesh, name)
                .map(found -> new Person(found.member().id(), found.member().name(), found.created()))
                .orElseGet(() -> Person.named(name));
    }

    private static Task view(TaskView task, @Nullable String over) {
        return new Task(
                task.id().value(),
                task.job().value(),
                task.name(),
                task.group().orElse(null),
                task.assignee().orElse(null),
                RawJson.of(task.details()),
                task.escalations(),
                task.askedAt(),
                task.dueAt().orElse(null),
                over);
    }
}
