package dev.tallystick.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.UUID;

/** Follows the events of a job, page by page; the server waits with an empty page as long as the job is open. */
final class FollowedJob implements Following<Jobs.Event> {

    private static final int PAGE = 100;

    /** Whoever closes this waits no longer for whoever reads. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final Jobs jobs;
    private final UUID job;
    private final Deque<Jobs.Event> page = new ArrayDeque<>();
    private long position;
    private boolean jobIsClosed;
    private volatile boolean over;

    FollowedJob(Jobs jobs, UUID job, long after) {
        this.jobs = jobs;
        this.job = job;
        this.position = after;
    }

    @Override
    public Optional<Jobs.Event> next(Duration wait) {
        long deadline = System.nanoTime() + wait.toNanos();
        long left = wait.toNanos();
        do {
            if (over) {
                return Optional.empty();
            }
            if (page.isEmpty()) {
                read(inSeconds(left));
            }
            left = deadline - System.nanoTime();
        } while (page.isEmpty() && left > 0);
        Optional<Jobs.Event> next = Optional.ofNullable(page.poll());
        next.ifPresent(event -> position = event.position());
        return next;
    }

    /** Rounded up, for the server knows whole seconds, and whoever waits for none asks again and again. */
    private static Duration inSeconds(long nanos) {
        long seconds = Duration.ofNanos(nanos).plusNanos(999_999_999).toSeconds();
        return Duration.ofSeconds(Math.min(seconds, LONGEST_WAIT.toSeconds()));
    }

    /** Only what is read after the job was seen closed is all there will be: events come between two questions. */
    private void read(Duration wait) {
        page.addAll(jobs.events(job, position, PAGE, wait).events());
        if (page.isEmpty()) {
            over = over || jobIsClosed;
            jobIsClosed = !jobs.find(job).isOpen();
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public void close() {
        over = true;
    }
}
