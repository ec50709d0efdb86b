package dev.tallystick.client;

import dev.tallystick.core.api.JobApi.EventPage;
import java.time.Duration;
import java.util.UUID;

/** Reads the events of a job page by page; the server holds back an empty page as long as the job is open. */
final class FollowedJob implements Feed.Source<EventPage.Event> {

    private static final int PAGE = 100;
    private static final Duration WAIT = Duration.ofSeconds(20);

    private final Jobs jobs;
    private final UUID job;

    FollowedJob(Jobs jobs, UUID job) {
        this.jobs = jobs;
        this.job = job;
    }

    /** Only a page read after the job was seen closed is complete: events may arrive between two requests. */
    @Override
    public void read(long after, Feed.Sink<EventPage.Event> sink) throws InterruptedException {
        long position = after;
        boolean jobIsClosed = false;
        while (true) {
            EventPage page = jobs.events(job, position, PAGE, WAIT);
            for (EventPage.Event event : page.events()) {
                sink.give(event.position(), event);
                position = event.position();
            }
            if (page.events().isEmpty()) {
                if (jobIsClosed) {
                    return;
                }
                jobIsClosed = !jobs.find(job).isOpen();
            }
        }
    }
}
