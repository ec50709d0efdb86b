package dev.tallystick.client.mint;

import static dev.tallystick.client.MintOnBadDisk.OTHER;
import static dev.tallystick.client.MintOnBadDisk.PURPOSE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.MintOnBadDisk;
import dev.tallystick.core.IdempotencyKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a mint has on disk, whenever its process dies. */
class KeyMintTest {

    private static final int COMPACT_AFTER = 3;

    @TempDir
    Path directory;

    @Test
    void a_key_is_on_disk_before_anybody_sees_it_also_when_the_log_is_written_anew() throws IOException {
        try (KeyMint mint = open("mint")) {
            for (int order = 1; order <= 3 * COMPACT_AFTER; order++) {
                IdempotencyKey key = mint.keyFor("order " + order);

                try (KeyMint afterCrash = openCopy(order)) {
                    assertThat(afterCrash.unsettled()).isEqualTo(mint.unsettled());
                    assertThat(afterCrash.keyFor("order " + order)).isEqualTo(key);
                }
            }
        }
    }

    @Test
    void what_is_settled_stays_settled_when_the_log_is_written_anew() throws IOException {
        try (KeyMint mint = open("mint")) {
            mint.keyFor("order 0");
            for (int order = 1; order <= 3 * COMPACT_AFTER; order++) {
                mint.settled("order " + order, mint.keyFor("order " + order));

                try (KeyMint afterCrash = openCopy(order)) {
                    assertThat(afterCrash.unsettled()).isEqualTo(List.of("order 0"));
                    assertThat(sequence(afterCrash.keyFor("another"))).isEqualTo(order + 2);
                }
            }
        }
    }

    /** The file would give back another one, and the next process another key for it. */
    @ParameterizedTest
    @ValueSource(strings = {"", "order 1\n", "order 1\r", "order\r1", "order\n1", "order \ud83d", "\ude00 order"})
    void what_the_file_cannot_give_back_is_no_purpose(String purpose) {
        try (KeyMint mint = open("mint")) {
            assertThatThrownBy(() -> mint.keyFor(purpose)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void an_answer_under_an_older_key_leaves_the_newer_one_of_its_purpose_alone() {
        try (KeyMint mint = open("mint")) {
            List<IdempotencyKey> keys = new ArrayList<>();
            mint.under("order 1", slow -> {
                mint.under("order 1", quick -> keys.add(quick));
                return keys.add(mint.keyFor("order 1"));
            });

            assertThat(keys).doesNotHaveDuplicates();
            assertThat(mint.keyFor("order 1")).isEqualTo(keys.getLast());
        }
        try (KeyMint afterCrash = open("mint")) {
            assertThat(afterCrash.unsettled()).containsExactly("order 1");
        }
    }

    @Test
    void a_line_that_was_not_finished_is_of_a_key_that_nobody_has_seen() throws IOException {
        Path file = directory.resolve("mint");
        IdempotencyKey key;
        try (KeyMint mint = open("mint")) {
            key = mint.keyFor("Bestellung für Ann");
        }
        byte[] next = "2 0123456789abcdef Bestellung fü".getBytes(UTF_8);
        Files.write(file, Arrays.copyOf(next, next.length - 1), StandardOpenOption.APPEND);

        try (KeyMint mint = open("mint")) {
            assertThat(mint.unsettled()).containsExactly("Bestellung für Ann");
            assertThat(mint.keyFor("Bestellung für Ann")).isEqualTo(key);
            assertThat(sequence(mint.keyFor("Bestellung für Bob"))).isEqualTo(2);
        }
        try (KeyMint mint = open("mint")) {
            assertThat(mint.unsettled()).containsExactly("Bestellung für Ann", "Bestellung für Bob");
        }
    }

    @Test
    void a_mint_that_could_not_be_opened_is_not_in_use() throws IOException {
        Path file = Files.createDirectory(directory.resolve("mint"));
        assertThatThrownBy(() -> open("mint")).isInstanceOf(UncheckedIOException.class);
        Files.delete(file);
        Files.writeString(file, "no log of a mint\n");
        assertThatThrownBy(() -> open("mint")).isInstanceOf(NumberFormatException.class);
        Files.delete(file);

        try (KeyMint mint = open("mint")) {
            assertThat(mint.unsettled()).isEmpty();
        }
    }

    /** Files cannot grow for ever in that process: its last write is cut off in the middle of a line. */
    @Test
    void a_purpose_that_a_full_disk_leaves_unsettled_keeps_its_key() throws Exception {
        List<String> said = run(List.of("sh", "-c", "ulimit -f 8 && exec \"$@\"", "sh"), "full");

        assertThat(said).containsExactly(said.get(0), "cannot write " + directory.resolve("mint"), said.get(0));
        try (KeyMint mint = open("mint")) {
            assertThat(mint.unsettled()).hasSize(2).contains(PURPOSE).doesNotContain(OTHER);
            assertThat(mint.keyFor(PURPOSE).value()).isEqualTo(said.get(0));
        }
    }

    /** Opening forces the file and its name, minting forces once more: the fourth time is about what is settled. */
    @Test
    void a_purpose_is_not_settled_by_a_line_that_is_perhaps_not_on_disk() throws Exception {
        List<String> said = run(strace("fsync", "-e", "inject=fsync:error=EIO:when=4"));

        assertThat(said).containsExactly(said.get(0), "cannot write " + directory.resolve("mint"), said.get(0));
        try (KeyMint mint = open("mint")) {
            assertThat(mint.unsettled()).containsExactly(PURPOSE);
            assertThat(mint.keyFor(PURPOSE).value()).isEqualTo(said.get(0));
        }
    }

    @Test
    void the_name_of_a_new_file_is_on_disk_before_anything_is_minted() throws Exception {
        run(strace("fsync,/^rename"));

        List<String> calls = Files.readAllLines(directory.resolve("calls"));
        int named = indexOf(calls, 0, "rename\\w*\\(");
        int forced = indexOf(calls, named, "fsync\\(\\d+<" + Pattern.quote(directory.toRealPath() + ">"));
        assertThat(calls.subList(named + 1, forced)).isEmpty();
    }

    private static int indexOf(List<String> calls, int from, String pattern) {
        Pattern call = Pattern.compile("\\d+ +" + pattern + ".*= 0");
        return IntStream.range(from, calls.size())
                .filter(each -> call.matcher(calls.get(each)).matches())
                .findFirst()
                .orElseThrow(() -> new AssertionError(pattern + " is not among " + calls));
    }

    private List<String> strace(String calls, String... options) {
        List<String> command = new ArrayList<>(List.of("strace", "-f", "-y", "-qq"));
        command.addAll(List.of("-e", "signal=none", "-e", "trace=" + calls));
        command.addAll(List.of("-o", directory.resolve("calls").toString()));
        command.addAll(List.of(options));
        return command;
    }

    /** What {@link MintOnBadDisk} says when it is run by a command. */
    private List<String> run(List<String> by, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(by);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-cp"));
        command.addAll(List.of(System.getProperty("java.class.path"), MintOnBadDisk.class.getName()));
        command.add(directory.resolve("mint").toString());
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader output = process.inputReader()) {
            List<String> said = output.lines().toList();
            assertThat(process.waitFor()).as(String.join("\n", said)).isZero();
            return said;
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static long sequence(IdempotencyKey key) {
        return key.minted().orElseThrow().sequence();
    }

    private KeyMint open(String name) {
        return KeyMint.open(directory.resolve(name), "desk-1", new SecureRandom(), COMPACT_AFTER);
    }

    /** Opens what a process would find now that comes after this one. */
    private KeyMint openCopy(int number) throws IOException {
        String name = "copy-" + number;
        Files.copy(directory.resolve("mint"), directory.resolve(name));
        return open(name);
    }
}
