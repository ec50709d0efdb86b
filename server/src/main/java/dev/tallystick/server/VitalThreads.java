package dev.tallystick.server;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process when one of the threads dies that a server stands on: what is left would take requests and answer none. It is
 * halted, as by a crash, for which everything here is made; whatever looks after the process starts another one.
 */
public final class VitalThreads {

    /** What the process exits with: an internal error, as {@code sysexits.h} has it. */
    public static final int EXIT_CODE = 70;

    private static final Logger LOG = LoggerFactory.getLogger(VitalThreads.class);

    private static final String OURS = "tally-";

    /** In these runs what users have written; if that fails, it is the job that fails. */
    private static final List<String> OF_USERS = List.of("tally-body-", "tally-branch-", "tally-work-");

    /** From now on, in this process. */
    public static void watch() {
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            String name = thread.getName();
            if (name.startsWith(OURS) && OF_USERS.stream().noneMatch(name::startsWith)) {
                try {
                    LOG.error("the thread {} has died, and the server ends: start it again", name, failure);
                } finally {
                    Runtime.getRuntime().halt(EXIT_CODE);
                }
            }
            LOG.error("the thread {} has died", name, failure);
        });
    }

    private VitalThreads() {}
}
