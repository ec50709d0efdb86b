package dev.tallystick.engine.record;

import dev.tallystick.engine.model.Guid;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Ask.Escalation;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.GenericType;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A question to people, built from workflow operations: one transaction opens the task, and its answer is a signal. When time
 * is up, another transaction escalates or expires the task; if an answer came first, the next wait receives it. So an accepted
 * answer always reaches its job, and a late one is rejected.
 */
public final class Question<T> {

    /** The prefix of the step that opens a task; the task's name follows. */
    private static final String STEP = "$task:";

    private static final String SIGNAL = "$task:";
    private static final Pattern LAST_PLACE = Pattern.compile("\\d+$");

    private final Context context;
    private final Transactions transactions;
    private final String mesh;
    private final Codec codec;
    private final String name;
    private final GenericType<T> type;
    private final Ask ask;
    private final TaskStore store = new TaskStore();

    public Question(
            Context context,
            Transactions transactions,
            String mesh,
            Codec codec,
            String name,
            GenericType<T> type,
            Ask ask) {
        this.context = context;
        this.transactions = transactions;
        this.mesh = mesh;
        this.codec = codec;
        this.name = name;
        this.type = type;
        this.ask = ask;
        Ask.requireName("task", name);
    }

    /** The signal that answers a task. */
    public static String signal(TaskId task) {
        return SIGNAL + task;
    }

    /** Whether a step of this name opens a task. */
    public static boolean isEntered(String step) {
        return step.startsWith(STEP);
    }

    /** The task that the step at this place opens: its id was drawn at the previous place. */
    public static TaskId idAt(JobId keysOf, String path) {
        String drawn =
                LAST_PLACE.matcher(path).replaceFirst(last -> Integer.toString(Integer.parseInt(last.group()) - 1));
        return new TaskId(Guid.drawn(keysOf, drawn, Guid.DRAWN));
    }

    public static boolean answersTask(String signal) {
        return signal.startsWith(SIGNAL);
    }

    /**
     * Waits for the answer; empty if none came.
     *
     * @param patience how long to wait in total; null for no limit
     */
    public Optional<T> answer(@Nullable Duration patience) {
        @Nullable Duration rest = rest(patience);
        TaskId id = new TaskId(context.uuid());
        List<Escalation> escalations = ask.escalations();
        enter(id, escalations.isEmpty() ? rest : escalations.getFirst().after());
        for (int i = 0; i < escalations.size(); i++) {
            Optional<T> answer =
                    context.await(signal(id), type, escalations.get(i).after());
            if (answer.isPresent()) {
                return answer;
            }
            boolean last = i + 1 == escalations.size();
            escalate(
                    id,
                    escalations.get(i).group(),
                    last ? rest : escalations.get(i + 1).after());
        }
        return rest == null ? Optional.of(context.await(signal(id), type)) : lastChance(id, rest);
    }

    private Optional<T> lastChance(TaskId id, Duration rest) {
        Optional<T> answer = context.await(signal(id), type, rest);
        if (answer.isPresent() || expire(id)) {
            return answer;
        }
        return Optional.of(context.await(signal(id), type));
    }

    /** The patience left after the last escalation. */
    private @Nullable Duration rest(@Nullable Duration patience) {
        if (patience == null) {
            return null;
        }
        Duration rest = ask.escalations().stream().map(Escalation::after).reduce(patience, Duration::minus);
        if (rest.isNegative() || rest.isZero()) {
            throw new IllegalArgumentException("task '" + name + "' would expire after " + patience
                    + ", before its last escalation: be more patient or escalate sooner");
        }
        return rest;
    }

    private void enter(TaskId id, @Nullable Duration due) {
        byte[] details = Payloads.encode(codec, ask.details());
        context.transaction(STEP + name, Boolean.class, connection -> {
            store.open(
                    transactions.join(connection),
                    List.of(new TaskStore.Asked(
                            id, context.job(), mesh, name, ask.group(), ask.person(), details, due)));
            return true;
        });
    }

    private void escalate(TaskId id, String group, @Nullable Duration due) {
        context.transaction(
                "$escalate:" + name,
                Boolean.class,
                connection -> !store.escalate(
                                transactions.join(connection),
                                List.of(new TaskStore.Escalated(id, context.job(), group, due)))
                        .isEmpty());
    }

    private boolean expire(TaskId id) {
        return context.transaction(
                "$expire:" + name,
                Boolean.class,
                connection -> store.expire(transactions.join(connection), List.of(id)) == 1);
    }
}
