package dev.tallystick.engine;

/**
 * The right to bring the result of one posting, until it runs out.
 *
 * @param fence raised with every lease of the posting: whoever holds an older one has lost it
 */
record Lease(ActivityId activity, Guid guid, long fence) {

    JobId job() {
        return activity.job();
    }
}
