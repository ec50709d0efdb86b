package dev.tallystick.daemon.hooks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Json;
import dev.tallystick.daemon.inbox.Inbox;
import dev.tallystick.daemon.inbox.InboxEvent;
import dev.tallystick.daemon.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the executables in {@code hooks/}: {@code on-message}, {@code on-topic-NAME}, {@code on-mention}, {@code on-dead} and
 * {@code on-delivery}. One at a time, in the order of the events. If the daemon dies while one runs, it runs again.
 */
public final class Hooks implements AutoCloseable {

    public static final String DIRECTORY = "hooks";
    public static final String LOG_FILE = "hooks.log";

    private static final String CURSOR = "hooks";
    private static final int AT_ONCE = 100;
    private static final long LARGEST_LOG = 4L << 20;
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Set<PosixFilePermission> FOREIGN_WRITE =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    private static final Logger LOG = LoggerFactory.getLogger(Hooks.class);

    private final Path directory;
    private final Path logFile;
    private final Inbox inbox;
    private final InstantSource clock;
    private final Duration limit;
    private final Thread thread;
    private volatile boolean closed;

    /** @param limit how long one run may take */
    public Hooks(Path daemonDirectory, Inbox inbox, InstantSource clock, Duration limit) {
        this.directory = daemonDirectory.resolve(DIRECTORY);
        this.logFile = daemonDirectory.resolve(LOG_FILE);
        this.inbox = inbox;
        this.clock = clock;
        this.limit = limit;
        this.thread = Thread.ofPlatform().daemon().name("tally-hooks").unstarted(this::follow);
    }

    public void start() {
        thread.start();
    }

    private void follow() {
        while (!closed) {
            try {
                long position = inbox.cursor(CURSOR);
                if (inbox.await(position, WAIT)) {
                    runAfter(position);
                }
            } catch (InterruptedException e) {
                return;
            } catch (StorageException | IOException e) {
                LOG.warn("hooks cannot run now: {}", e.toString());
                LockSupport.parkNanos(WAIT.toNanos());
            } catch (RuntimeException e) {
                LOG.error("hooks failed unexpectedly", e);
                LockSupport.parkNanos(WAIT.toNanos());
            }
        }
    }

    private void runAfter(long position) throws IOException, InterruptedException {
        long newest = inbox.newest();
        List<InboxEvent> events = inbox.after(position, null, AT_ONCE);
        for (InboxEvent event : events) {
            run(event);
            inbox.move(CURSOR, event.position());
        }
        if (events.isEmpty()) {
            inbox.move(CURSOR, newest);
        }
    }

    private void run(InboxEvent event) throws IOException, InterruptedException {
        for (String name : names(event)) {
            Path program = directory.resolve(name);
            if (Files.exists(program, LinkOption.NOFOLLOW_LINKS)) {
                HookRun run = isSafe(program)
                        ? HookRun.of(
                                program,
                                Map.of(
                                        "TALLY_EVENT", event.kind().word(),
                                        "TALLY_POSITION", Long.toString(event.position()),
                                        "TALLY_SUBJECT", event.subject()),
                                event.json().canonical() + "\n",
                                limit)
                        : new HookRun(null, "it must be an executable file that only you can write", "", Duration.ZERO);
                record(name, event, run);
            }
        }
    }

    private static List<String> names(InboxEvent event) {
        List<String> names = new ArrayList<>(List.of("on-" + event.kind().word()));
        if (event.kind() == InboxEvent.Kind.MESSAGE
                && event.json().members().get("data") instanceof Json.ObjectValue data
                && data.members().get("to") instanceof Json.StringValue to
                && to.value().matches("topic:[A-Za-z0-9][A-Za-z0-9._-]{0,127}")) {
            names.add("on-topic-" + to.value().substring("topic:".length()));
        }
        return names;
    }

    /** No one else may choose what runs here. */
    private boolean isSafe(Path program) throws IOException {
        UserPrincipal owner = Files.getOwner(directory.resolve(".."));
        return Files.isRegularFile(program, LinkOption.NOFOLLOW_LINKS)
                && Files.isExecutable(program)
                && isOursAlone(program, owner)
                && isOursAlone(directory, owner);
    }

    private static boolean isOursAlone(Path path, UserPrincipal owner) throws IOException {
        return Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(owner)
                && Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS).stream()
                        .noneMatch(FOREIGN_WRITE::contains);
    }

    private void record(String name, InboxEvent event, HookRun run) throws IOException {
        Map<String, Json> members = new TreeMap<>();
        members.put("at", Json.of(clock.instant().toString()));
        members.put("hook", Json.of(name));
        members.put("position", Json.of(event.position()));
        members.put("subject", Json.of(event.subject()));
        members.put("milliseconds", Json.of(run.duration().toMillis()));
        members.put("output", Json.of(run.output().replaceAll("[\\ud800-\\udfff]", "?")));
        if (run.exitCode() != null) {
            members.put("exit_code", Json.of(run.exitCode()));
        }
        if (run.trouble() != null) {
            members.put("trouble", Json.of(run.trouble()));
            LOG.warn("the hook {} did not run to its end: {}", name, run.trouble());
        }
        if (Files.exists(logFile) && Files.size(logFile) > LARGEST_LOG) {
            Files.move(logFile, logFile.resolveSibling(LOG_FILE + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
        if (!Files.exists(logFile)) {
            Files.createFile(
                    logFile, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.writeString(logFile, new Json.ObjectValue(members).canonical() + "\n", UTF_8, StandardOpenOption.APPEND);
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            if (thread.isAlive()) {
                thread.join(Duration.ofSeconds(5));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
