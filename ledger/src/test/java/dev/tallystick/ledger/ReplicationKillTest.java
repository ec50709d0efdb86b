package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.copies.Fetch;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.copies.Push;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills a process that fetches, merges or clones, or the {@code git} it started, in place of every call that forces or names
 * something, one by one. Afterwards both copies verify and hold everything acknowledged, and the same command succeeds without
 * help.
 */
class ReplicationKillTest {

    private static final List<String> CALLS = List.of("fsync", "fdatasync", "rename", "link");
    private static final StreamId SHARED = StreamId.of("copies", "shared");

    /** An ordinary run tries every n-th call; the campaign tries them all. */
    private static final int SAMPLE = 6;

    @TempDir(factory = Memory.class)
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private final List<StreamId> acknowledged = new ArrayList<>();
    private Path home;
    private Path away;
    private int round;

    /** The command that the process runs. */
    enum Errand {
        FETCH,
        MERGE,
        CLONE
    }

    @BeforeEach
    void make_two_copies() throws IOException {
        home = scratch.resolve("home.git");
        away = scratch.resolve("away.git");
        try (Ledger ledger = Ledger.init(home, root, LedgerOptions.defaults())) {
            done(ledger, put(SHARED, TxHash.NONE, "{}"));
        }
        try (Ledger copy = cloned(away)) {
            copy.addSigningKey(root);
        }
    }

    @ParameterizedTest
    @EnumSource(Errand.class)
    void a_kill_loses_nothing_and_needs_no_help(Errand errand) throws Exception {
        killAnywhere(errand, SAMPLE);
    }

    @ParameterizedTest
    @EnumSource(Errand.class)
    @Tag("campaign")
    void a_kill_at_any_force_or_rename_loses_nothing_and_needs_no_help(Errand errand) throws Exception {
        killAnywhere(errand, 1);
    }

    @Test
    void a_git_that_is_killed_at_any_force_or_rename_blocks_no_fetch() throws Exception {
        killGitAnywhere(Errand.FETCH);
    }

    @Test
    @Tag("campaign")
    void a_git_that_is_killed_at_any_force_or_rename_blocks_no_clone() throws Exception {
        killGitAnywhere(Errand.CLONE);
    }

    private void killGitAnywhere(Errand errand) throws Exception {
        prepare(errand);
        recover(errand);
        prepare(errand);
        assertThat(errandWithGit(errand, "-f").output()).contains("done");
        List<String> kills = kills(Files.readAllLines(trace()));
        assertThat(kills).hasSizeGreaterThanOrEqualTo(6);
        recover(errand);
        for (String kill : kills) {
            prepare(errand);
            Native.Result result = errandWithGit(errand, kill);
            assertThat(result.output())
                    .as(kill)
                    .contains("RemoteFailedException")
                    .doesNotContain("done");
            assertThat(Files.readString(trace())).as(kill).contains("killed by SIGKILL");
            recover(errand);
        }
    }

    /** Options that kill git fetch, and the programs it starts, at each of their calls. */
    private static List<String> kills(List<String> trace) {
        Map<String, Map<String, Integer>> calls = new LinkedHashMap<>();
        for (String line : trace) {
            Matcher call = Pattern.compile("(\\d+) +(\\w+)\\(.*\\) += 0").matcher(line);
            if (call.matches()) {
                calls.computeIfAbsent(call.group(2), name -> new LinkedHashMap<>())
                        .merge(call.group(1), 1, Integer::sum);
            }
        }
        String fetch = trace.getLast().split(" ", 2)[0];
        List<String> kills = new ArrayList<>();
        calls.forEach((name, counts) -> counts.forEach((process, count) -> {
            for (int n = 1; n <= count; n++) {
                kills.add((process.equals(fetch) ? "" : "-f ") + "-e inject=" + name + ":signal=KILL:when=" + n);
            }
        }));
        return kills;
    }

    private void killAnywhere(Errand errand, int step) throws Exception {
        prepare(errand);
        recover(errand);
        prepare(errand);
        Strace.Run whole = Strace.record(scratch, OneErrand.class, arguments(errand));
        assertThat(whole.lines()).last().isEqualTo("done");
        recover(errand);
        Map<String, Integer> calls = Strace.callsOfOneThread(whole, copy(errand), CALLS);
        int places = calls.values().stream().mapToInt(Integer::intValue).sum();
        assertThat(places).isGreaterThan(10);
        int place = 0;
        int kills = 0;
        for (Map.Entry<String, Integer> call : calls.entrySet()) {
            for (int n = 1; n <= call.getValue(); n++) {
                if (place++ % step == 0) {
                    prepare(errand);
                    Strace.Run run = Strace.killAt(scratch, call.getKey(), n, OneErrand.class, arguments(errand));
                    assertThat(run.lines()).as("%s %d", call.getKey(), n).doesNotContain("done");
                    assertThat(run.calls().getLast().line()).contains("killed by SIGKILL");
                    kills++;
                    recover(errand);
                }
            }
        }
        assertThat(kills).isEqualTo((places + step - 1) / step);
        System.out.println(errand + ": killed at " + kills + " of " + places + " calls");
        Native.accepts(home, scratch);
        Native.accepts(copy(errand), scratch);
    }

    /** Something to fetch, to merge or to clone. */
    private void prepare(Errand errand) throws IOException {
        round++;
        try (Ledger ledger = Ledger.open(home, LedgerOptions.defaults())) {
            write(ledger, "home", errand == Errand.MERGE);
        }
        if (errand == Errand.MERGE) {
            try (Ledger ledger = Ledger.open(away, LedgerOptions.defaults())) {
                write(ledger, "away", true);
            }
        }
    }

    private void write(Ledger ledger, String by, boolean shared) throws IOException {
        StreamId own = StreamId.of("copies", by + "-" + round);
        done(ledger, put(own, TxHash.NONE, "1"));
        acknowledged.add(own);
        if (shared) {
            done(ledger, put(SHARED, ledger.read(SHARED).head(), "{\"" + by + "\":" + round + "}"));
        }
    }

    /** Runs the command again in this process; it succeeds however the last attempt ended. */
    private void recover(Errand errand) throws IOException {
        if (errand != Errand.CLONE) {
            judge(away);
        }
        try (Ledger copy =
                errand == Errand.CLONE ? cloned(copy(errand)) : Ledger.open(away, LedgerOptions.defaults())) {
            switch (errand) {
                case FETCH ->
                    assertThat(copy.fetch("origin")).isInstanceOfAny(Fetch.Forwarded.class, Fetch.UpToDate.class);
                case MERGE ->
                    assertThat(copy.merge("origin")).isInstanceOfAny(Merge.Joined.class, Merge.UpToDate.class);
                case CLONE -> copy.addSigningKey(root);
            }
            for (StreamId stream : acknowledged) {
                assertThat(copy.read(stream)).as("%s", stream).isInstanceOf(Document.Present.class);
            }
            StreamId next = StreamId.of("copies", "after-" + round);
            done(copy, put(next, TxHash.NONE, "1"));
            acknowledged.add(next);
            assertThat(copy.push("origin")).isInstanceOf(Push.Pushed.class);
        }
        judge(home);
        judge(copy(errand));
    }

    private void judge(Path repository) throws IOException {
        assertThat(Verifier.verify(repository, trust(), Verifier.Depth.DEEP).findings())
                .isEmpty();
    }

    private Trust trust() {
        return Trust.in(root.publicKey().line());
    }

    private Path copy(Errand errand) {
        return errand == Errand.CLONE ? scratch.resolve("clone-" + round + ".git") : away;
    }

    private Ledger cloned(Path directory) throws IOException {
        Clone clone = Ledger.cloneFrom(home.toString(), directory, trust(), LedgerOptions.defaults(), Progress.UNSEEN);
        assertThat(clone).isInstanceOf(Clone.Cloned.class);
        return ((Clone.Cloned) clone).ledger();
    }

    private String[] arguments(Errand errand) {
        return new String[] {errand.name(), copy(errand).toString(), home.toString(), trust().rootKey()};
    }

    private Path trace() {
        return scratch.resolve("git-trace.txt");
    }

    /** Runs the command with a {@code git} on the path that runs under {@code strace} while it fetches. */
    private Native.Result errandWithGit(Errand errand, String options) throws IOException {
        Path programs = Files.createDirectories(scratch.resolve("bin"));
        Path git = programs.resolve("git");
        Files.writeString(git, """
                #!/bin/sh
                PATH=${PATH#*:}
                case " $* " in
                *" fetch "*) exec strace -o %s -e trace=fsync,link,rename %s git "$@" ;;
                *) exec git "$@" ;;
                esac
                """.formatted(trace(), options));
        git.toFile().setExecutable(true);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                OneErrand.class.getName()));
        command.addAll(List.of(arguments(errand)));
        Map<String, String> path = Map.of("PATH", programs + ":" + System.getenv("PATH"));
        return Native.run(scratch, path, command.toArray(String[]::new));
    }

    /** A process that runs one command and reports success. */
    static final class OneErrand {

        public static void main(String[] arguments) throws Exception {
            Path copy = Path.of(arguments[1]);
            switch (Errand.valueOf(arguments[0])) {
                case CLONE ->
                    Ledger.cloneFrom(
                            arguments[2], copy, Trust.in(arguments[3]), LedgerOptions.defaults(), Progress.UNSEEN);
                case FETCH -> {
                    try (Ledger ledger = Ledger.open(copy, LedgerOptions.defaults())) {
                        ledger.fetch("origin");
                    }
                }
                case MERGE -> {
                    try (Ledger ledger = Ledger.open(copy, LedgerOptions.defaults())) {
                        ledger.merge("origin");
                    }
                }
            }
            System.out.println("done");
        }
    }
}
