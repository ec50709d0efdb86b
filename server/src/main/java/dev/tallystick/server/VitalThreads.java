package dev.tallystick.server;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process when a thread dies that the server needs: the rest would take requests and answer none. The process is
 * halted as by a crash, which everything here can handle; a supervisor restarts it.
 */
public final class VitalThreads {

    /** The exit code: an internal error, as in {@code sysexits.h}. */
    public static final int EXIT_CODE = 70;

    private static final Logger LOG = LoggerFactory.getLogger(VitalThreads.class);

    private static final String OURS = "tally-";

    /** These threads run user code; if that fails, only the job fails. */
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
