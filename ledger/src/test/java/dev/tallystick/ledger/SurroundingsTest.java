package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tallystick.ledger.copies.Fetch;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.copies.Push;
import dev.tallystick.ledger.git.NotALedgerException;
import dev.tallystick.ledger.query.QueryIndex;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files around the objects make neither us nor native Git show other contents, and run nothing. */
class SurroundingsTest {

    private static final String SHOWN = "git log --format=raw --stat main; git show main; git ls-tree -r main;"
            + " git cat-file -p main; git log --format=%H heads/main; git log --format=%H HEAD; git rev-parse main";

    /** The campaign damages every so many bits and bytes: a prime number makes it shorter, and still meets all of a byte's bits. */
    private static final int STEP = Integer.getInteger("tally.tampering", 1);

    @TempDir(factory = Memory.class)
    Path scratch;

    private SmallLedger ledger;
    private Path repository;

    @BeforeEach
    void write_a_small_ledger() throws IOException {
        ledger = SmallLedger.make(scratch);
        repository = ledger.repository();
    }

    @Test
    void files_that_git_reads_and_we_do_not_are_refused() throws IOException {
        String main = Native.git(repository, "rev-parse", "main").strip();
        String before = Native.git(repository, "rev-parse", "main~1").strip();
        Map<String, String> files = new LinkedHashMap<>();
        files.put("main", before + "\n");
        files.put("heads/main", before + "\n");
        files.put("refs/main", before + "\n");
        files.put("refs/tags/main", before + "\n");
        files.put("refs/replace/" + main, before + "\n");
        files.put("commondir", scratch.resolve("other") + "\n");
        files.put("config.worktree", "[core]\n");
        files.put("info/attributes", "* -diff\n");
        files.put("info/grafts", main + "\n");
        files.put("shallow", main + "\n");
        files.put("objects/info/alternates", scratch + "\n");
        files.put("objects/info/http-alternates", scratch + "\n");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = repository.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
            assertRefused(file.getKey());
            Files.delete(path);
            Files.deleteIfExists(repository.resolve("heads"));
        }
        assertThat(ledger.verify().findings()).isEmpty();
    }

    @Test
    void settings_that_are_not_known_to_be_harmless_are_refused() throws IOException {
        Path config = repository.resolve("config");
        String original = Files.readString(config);
        for (String setting : List.of(
                "[include]\n\tpath = elsewhere",
                "[includeIf \"gitdir:/\"]\n\tpath = elsewhere",
                "[core]\n\tworktree = /",
                "[core]\n\trepositoryformatversion = 1",
                "[extensions]\n\tworktreeConfig = true",
                "[extensions]\n\tobjectFormat = sha256",
                "[extensions]\n\trefStorage = reftable",
                "[core]\n\thooksPath = /tmp",
                "[core]\n\tsshCommand = touch x",
                "[core]\n\tfsmonitor = touch x",
                "[core]\n\tpager = cat elsewhere",
                "[remote \"origin\"]\n\tuploadpack = touch x",
                "[url \"/other\"]\n\tinsteadOf = /mine",
                "[credential]\n\thelper = !touch x",
                "[protocol \"ext\"]\n\tallow = always",
                "[alias]\n\tx = !touch x",
                "[gc]\n\trecentObjectsHook = x",
                "[core] worktree = /",
                "[core]\n\tfsync = \\\nx",
                "[core.x]\n\tbare = true",
                "bare",
                "[core]\n\tbare")) {
            Files.writeString(config, original + setting + "\n");
            assertRefused(setting);
        }
        Files.writeString(config, original + "[user]\n\tname = me\n[branch \"main\"]\n\tremote = origin\n");
        assertThat(ledger.verify().findings()).isEmpty();
        Files.delete(config);
        assertRefused("no config");
    }

    @Test
    void packed_refs_that_git_would_read_otherwise_are_refused() throws IOException {
        Native.git(repository, "pack-refs", "--all", "--prune");
        Path packed = repository.resolve("packed-refs");
        String before = Native.git(repository, "rev-parse", "main~1").strip();
        String original = Files.readString(packed);
        for (String added : List.of(
                before + " refs/heads/main\n",
                before + " refs/tags/main\n",
                before + " refs/zzz\n" + before + " refs/yyy\n",
                "# a comment\n",
                "\n",
                before + " refs/heads/main\r\n",
                before + " refs/zzz")) {
            Files.writeString(packed, original + added);
            assertRefused(added);
        }
        Files.writeString(packed, original);
        Files.createSymbolicLink(repository.resolve("refs/heads/main"), Path.of("refs/heads/other"));
        assertRefused("a link");
    }

    @Test
    void native_maintenance_is_possible_and_what_it_derives_is_not_believed() throws IOException {
        derive();
        List<Object> answers = answers(ledger);
        String shown = shown(repository);
        Path graph = repository.resolve("objects/info/commit-graph");
        Path index = repository.resolve("objects/pack/multi-pack-index");
        for (Path derived : List.of(graph, index)) {
            byte[] bytes = Files.readAllBytes(derived);
            for (int at = 8; at < bytes.length; at += 13) {
                byte[] changed = bytes.clone();
                changed[at] ^= 1;
                overwrite(derived, changed);
            }
            assertThat(ledger.verify().findings()).isEmpty();
            assertThat(answers(ledger)).isEqualTo(answers);
            assertThat(shown(repository)).isEqualTo(shown);
        }
        Path config = repository.resolve("config");
        for (String key : List.of("commitGraph", "multiPackIndex", "useBitmaps")) {
            String text = Files.readString(config);
            Files.writeString(config, text.replaceFirst(key + " = false", key + " = true"));
            assertRefused(key);
            Files.writeString(config, text);
        }
        Native.git(repository, "gc", "-q");
        assertThat(ledger.verify().findings()).isEmpty();
    }

    @Test
    void an_own_bare_repository_becomes_a_ledger_that_survives_maintenance() throws IOException {
        Path bare = scratch.resolve("bare.git");
        Native.git(scratch, "init", "-q", "--bare", "-b", "main", bare.toString());
        for (int i = 0; i < 2; i++) {
            Ledger.init(bare, SigningKey.generate(), LedgerOptions.defaults()).close();
            Native.git(bare, "-c", "core.commitGraph=true", "commit-graph", "write", "--reachable");
        }
        try (Ledger opened = Ledger.open(bare, LedgerOptions.defaults())) {
            done(opened, put(SmallLedger.STREAMS.getFirst(), TxHash.NONE, "1"));
        }
        assertThat(Verifier.verify(bare, Trust.nothing(), Verifier.Depth.DEEP).findings())
                .isEmpty();
    }

    @Test
    void dealing_with_other_copies_runs_nothing_of_the_repository() throws IOException {
        Path copy = scratch.resolve("copy.git");
        Ledger.cloneFrom(repository.toString(), copy, Trust.nothing(), LedgerOptions.defaults(), Progress.UNSEEN);
        Path ran = scratch.resolve("ran");
        Path hooks = Files.createDirectories(copy.resolve("hooks"));
        for (String name : List.of("pre-push", "reference-transaction", "post-merge", "post-update", "pre-auto-gc")) {
            Files.writeString(hooks.resolve(name), "#!/bin/sh\ntouch " + ran + "\n");
            assertThat(hooks.resolve(name).toFile().setExecutable(true)).isTrue();
        }
        try (Ledger original = Ledger.open(repository, LedgerOptions.defaults());
                Ledger opened = Ledger.open(copy, LedgerOptions.defaults())) {
            done(original, put(StreamId.of("orders", "new"), TxHash.NONE, "{}"));
            assertThat(opened.fetch("origin")).isInstanceOf(Fetch.Forwarded.class);
            assertThat(opened.merge("origin")).isInstanceOf(Merge.UpToDate.class);
            assertThat(opened.push("origin")).isInstanceOf(Push.UpToDate.class);
            Files.writeString(
                    copy.resolve("config"),
                    Files.readString(copy.resolve("config")) + "[remote \"origin\"]\n\tuploadpack = touch " + ran
                            + "; git-upload-pack\n");
            assertThatThrownBy(() -> opened.fetch("origin")).isInstanceOf(NotALedgerException.class);
            assertThatThrownBy(() -> opened.fetch("ext::touch " + ran)).isInstanceOf(IOException.class);
        }
        assertThat(ran).doesNotExist();
    }

    @Test
    void damage_to_any_file_is_reported_or_changes_no_answer() throws IOException {
        derive();
        Campaign campaign = new Campaign(ledger, 0, 1);
        Random random = new Random(44);
        List<Path> files = campaign.files();
        for (Path file : files) {
            campaign.flip(file, random.nextInt(8 * (int) Math.max(1, Files.size(file))));
        }
        for (int i = 0; i < 8; i++) {
            campaign.cut(files.get(random.nextInt(files.size())), 0);
            campaign.delete(files.get(random.nextInt(files.size())));
            campaign.swap(files.get(random.nextInt(files.size())), files.get(random.nextInt(files.size())));
        }
        Path config = repository.resolve("config");
        for (int i = 0; i < 60; i++) {
            campaign.flip(config, random.nextInt(8 * (int) Files.size(config)));
        }
        campaign.judge();
    }

    @Test
    @Tag("campaign")
    void every_damage_to_any_file_is_reported_or_changes_no_answer() throws Exception {
        derive();
        int workers = Runtime.getRuntime().availableProcessors();
        try (ExecutorService executor = Executors.newFixedThreadPool(workers)) {
            List<Future<?>> done = new ArrayList<>();
            for (int worker = 0; worker < workers; worker++) {
                Path copy = scratch.resolve("copy-" + worker);
                Native.run(scratch, Map.of(), "cp", "-a", repository.toString(), copy.toString());
                Campaign share = new Campaign(new SmallLedger(copy, ledger.trust()), worker, workers);
                done.add(executor.submit(() -> {
                    damageEverything(share);
                    return null;
                }));
            }
            for (Future<?> share : done) {
                share.get();
            }
        }
    }

    private static void damageEverything(Campaign campaign) throws IOException {
        List<Path> files = campaign.files();
        for (Path file : files) {
            long bits = 8 * Files.size(file);
            // Objects, packs and their indexes have their own campaign.
            boolean covered = file.toString().matches(".*/objects/../.{38}|.*\\.(pack|idx)|.*/index\\.db");
            for (int bit = 0; bit < bits; bit += covered ? 997 : STEP) {
                campaign.flip(file, bit);
            }
            for (int length = 0; length < bits / 8; length += covered ? 101 : STEP) {
                campaign.cut(file, length);
            }
            campaign.delete(file);
        }
        for (Path one : files) {
            for (Path other : files) {
                if (one.compareTo(other) < 0) {
                    campaign.swap(one, other);
                }
            }
        }
        campaign.judge();
    }

    /** Everything that native Git can derive from the objects, and a query index. */
    private void derive() throws IOException {
        for (String setting : List.of("core.commitGraph=true", "core.multiPackIndex=true")) {
            Native.git(repository, "-c", setting, "commit-graph", "write", "--reachable");
            Native.git(repository, "-c", setting, "multi-pack-index", "write");
        }
        Native.git(repository, "-c", "pack.writeReverseIndex=true", "repack", "-q", "-a", "-b");
        Native.git(repository, "-c", "core.multiPackIndex=true", "multi-pack-index", "write", "--bitmap");
        Files.createDirectories(repository.resolve("info"));
        Files.writeString(repository.resolve("info/exclude"), "# nothing\n");
        Native.git(repository, "tag", "one", "main~1");
        try (Ledger opened = Ledger.open(repository, LedgerOptions.defaults())) {
            opened.index().close();
        }
        assertThat(ledger.verify().findings()).isEmpty();
    }

    private void assertRefused(String what) throws IOException {
        for (Verifier.Depth depth : Verifier.Depth.values()) {
            Report report = Verifier.verify(repository, ledger.trust(), depth);
            assertThat(report.findings()).as("%s, %s", what, depth).isNotEmpty();
        }
        assertThat(catchThrowable(
                        () -> Ledger.open(repository, LedgerOptions.defaults()).close()))
                .as(what)
                .isInstanceOf(NotALedgerException.class);
    }

    private static List<Object> answers(SmallLedger ledger) throws IOException {
        List<Object> answers = ledger.answers();
        try (Ledger opened = Ledger.open(ledger.repository(), LedgerOptions.defaults());
                QueryIndex index = opened.index()) {
            answers.add(index.query("select * from document", 100));
            answers.add(index.query("select * from tx", 100));
        }
        return answers;
    }

    private static String shown(Path repository) {
        Native.Result result = Native.run(repository, Map.of(), "sh", "-c", "exec 2>/dev/null; set -e; " + SHOWN);
        return result.status() + "\n" + result.output();
    }

    private static void overwrite(Path file, byte[] bytes) throws IOException {
        assertThat(file.toFile().setWritable(true)).isTrue();
        Files.write(file, bytes);
    }

    /** Damages the files of a ledger one at a time and repairs them: every {@code workers}th damage is this worker's. */
    private static final class Campaign {

        private final SmallLedger ledger;
        private final int worker;
        private final int workers;
        private final List<Object> answers;
        private final String shown;
        private final List<String> missed = new ArrayList<>();
        private int damages;

        private Campaign(SmallLedger ledger, int worker, int workers) throws IOException {
            this.ledger = ledger;
            this.worker = worker;
            this.workers = workers;
            answers = answers(ledger);
            shown = shown(ledger.repository());
        }

        private boolean mine() {
            return damages++ % workers == worker;
        }

        List<Path> files() throws IOException {
            try (Stream<Path> all = Files.walk(ledger.repository())) {
                return all.filter(Files::isRegularFile).sorted().toList();
            }
        }

        void flip(Path file, int bit) throws IOException {
            if (!mine()) {
                return;
            }
            byte[] bytes = Files.readAllBytes(file);
            if (bytes.length > 0) {
                bytes[bit / 8] ^= (byte) (1 << bit % 8);
                replace(file, bytes, "bit " + bit + " flipped");
            }
        }

        void cut(Path file, int length) throws IOException {
            if (mine()) {
                replace(file, Arrays.copyOf(Files.readAllBytes(file), length), "cut to " + length);
            }
        }

        private void replace(Path file, byte[] bytes, String what) throws IOException {
            byte[] original = Files.readAllBytes(file);
            overwrite(file, bytes);
            look(file + " " + what);
            overwrite(file, original);
        }

        void delete(Path file) throws IOException {
            if (!mine()) {
                return;
            }
            byte[] original = Files.readAllBytes(file);
            Files.delete(file);
            look(file + " deleted");
            Files.write(file, original);
        }

        void swap(Path one, Path other) throws IOException {
            if (!mine()) {
                return;
            }
            byte[] first = Files.readAllBytes(one);
            byte[] second = Files.readAllBytes(other);
            overwrite(one, second);
            overwrite(other, first);
            look(one + " swapped with " + other);
            overwrite(one, first);
            overwrite(other, second);
        }

        private void look(String what) throws IOException {
            if (!ledger.verify().findings().isEmpty()) {
                return;
            }
            if (!shown(ledger.repository()).equals(shown)) {
                missed.add(what + ": git shows something else");
            }
            try {
                if (!answers(ledger).equals(answers)) {
                    missed.add(what + ": another answer");
                }
            } catch (IOException e) {
                // An error is not a wrong answer.
                assertThat(e.getMessage()).as(what).isNotEmpty();
            }
        }

        void judge() {
            assertThat(missed).isEmpty();
        }
    }
}
