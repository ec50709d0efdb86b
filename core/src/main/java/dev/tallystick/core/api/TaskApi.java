package dev.tallystick.core.api;

import dev.tallystick.core.Json;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Tasks that jobs give to people: find, claim, release, pass on, answer. */
public interface TaskApi {

    /**
     * A task.
     *
     * @param group who may claim it; null if it is for one person
     * @param assignee who has claimed it; null while it is unclaimed
     * @param escalations how often it was passed on
     * @param dueAt when it escalates or expires; null if never
     * @param over how it ended; null while it is open
     */
    record Task(
            UUID taskId,
            UUID jobId,
            String name,
            @Nullable String group,
            @Nullable String assignee,
            RawJson details,
            int escalations,
            Instant askedAt,
            @Nullable Instant dueAt,
            @Nullable String over) {

        public boolean isOpen() {
            return over == null;
        }
    }

    /**
     * Some open tasks, the oldest first.
     *
     * @param next the task to continue after; null on the last page
     */
    record TaskList(List<Task> tasks, @Nullable UUID next) implements Paged {}

    /**
     * For whom to change a task.
     *
     * @param person the acting person: the caller if missing; only an admin names others
     */
    record ForPerson(@Nullable String person) {}

    record HandOn(String group) {}

    record ResolveTask(@Nullable Json answer, @Nullable String person) {}

    /**
     * The requested change was made.
     *
     * @param duplicate whether it had been made before
     */
    record TaskDone(UUID taskId, boolean duplicate) {}
}
