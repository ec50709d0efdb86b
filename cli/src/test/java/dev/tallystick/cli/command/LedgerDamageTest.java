package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Damage to a ledger or its files is explained, with the exit code that {@code verify} has, and never an internal error. */
class LedgerDamageTest {

    @TempDir
    Path scratch;

    private Path repository;
    private Path rootKey;

    @BeforeEach
    void write_a_document() throws IOException {
        repository = scratch.resolve("books.git");
        rootKey = scratch.resolve("root.pub");
        Files.writeString(rootKey, ledger("init").out().lines().findFirst().orElseThrow() + "\n");
        assertThat(ledger("put", "orders", "o-1", "--body", "{\"n\":1}", "--expected-head", "")
                        .exitCode())
                .isZero();
        Run clone = ledger(scratch.resolve("copy.git"), "clone", repository.toString());
        assertThat(clone.exitCode()).isZero();
    }

    enum Damage {
        MAIN_IS_GARBAGE {
            @Override
            void to(Path repository) throws IOException {
                Files.writeString(repository.resolve("refs/heads/main"), "garbage\n");
            }
        },
        MAIN_NAMES_A_MISSING_COMMIT {
            @Override
            void to(Path repository) throws IOException {
                Files.writeString(repository.resolve("refs/heads/main"), "1".repeat(40) + "\n");
            }
        },
        PACKS_ARE_OVERWRITTEN {
            @Override
            void to(Path repository) throws IOException {
                for (Path pack : packs(repository)) {
                    byte[] bytes = Files.readAllBytes(pack);
                    for (int i = 12; i < bytes.length - 20; i++) {
                        bytes[i] ^= 0x55;
                    }
                    Files.delete(pack);
                    Files.write(pack, bytes);
                }
            }
        },
        PACKS_ARE_GONE {
            @Override
            void to(Path repository) throws IOException {
                for (Path pack : packs(repository)) {
                    Files.delete(pack);
                }
            }
        };

        abstract void to(Path repository) throws IOException;

        private static List<Path> packs(Path repository) throws IOException {
            try (Stream<Path> files = Files.list(repository.resolve("objects/pack"))) {
                return files.filter(file -> file.toString().endsWith(".pack")).toList();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void damage_is_explained_by_every_command(Damage damage) throws IOException {
        damage.to(repository);
        String copy = scratch.resolve("copy.git").toString();
        String anchor = scratch.resolve("anchor").toString();
        for (List<String> command : List.of(
                List.of("get", "orders", "o-1"),
                List.of("log", "orders", "o-1"),
                List.of("diff", "orders", "o-1", "--from", "1", "--to", "1"),
                List.of("receipt", "orders", "o-1", "--at", "1"),
                List.of("list"),
                List.of("list", "orders"),
                List.of("inspect"),
                List.of("schema", "orders"),
                List.of("keys"),
                List.of("keys", "--rotate"),
                List.of("query", "select * from document"),
                List.of("watch", "--since", "2".repeat(40), "--count", "1"),
                List.of("anchor", anchor),
                List.of("anchor", anchor, "--root-key", rootKey.toString()),
                List.of("gc"),
                List.of("bundle", scratch.resolve("bundle").toString()),
                List.of("put", "orders", "o-1", "--body", "1", "--expected-head", ""),
                List.of("delete", "orders", "o-1", "--expected-head", "1".repeat(64)),
                List.of("verify"))) {
            Run run = ledger(command.toArray(String[]::new));
            assertThat(run.err()).as(command + " " + run.out()).doesNotContain("internal error");
            assertThat(run.exitCode()).as(command + " " + run.err()).isEqualTo(ExitCode.CONFLICT.code());
            assertThat(run.out() + run.err()).as(command.toString()).isNotBlank();
        }
        assertThat(ledger("get", "orders", "o-1").err()).contains("verify");
        // Git explains these itself, and fetching may even repair the damage.
        for (String command : List.of("push", "merge", "fetch")) {
            Run run = ledger(command, copy);
            assertThat(run.exitCode()).as(command + " " + run.err()).isNotEqualTo(ExitCode.INTERNAL.code());
        }
    }

    @Test
    void a_file_that_is_not_text_is_wrong_input() throws IOException {
        Path file = scratch.resolve("utf-16");
        Files.writeString(file, "{\"version\":1}", StandardCharsets.UTF_16);
        for (Path unreadable : List.of(file, scratch)) {
            Run receipt = Run.tally("verify", unreadable.toString(), "--root-key", rootKey.toString());
            assertThat(receipt.exitCode()).as(receipt.err()).isEqualTo(ExitCode.USAGE.code());
            Run key = ledger("verify", "--root-key", unreadable.toString());
            assertThat(key.exitCode()).as(key.err()).isEqualTo(ExitCode.USAGE.code());
            Run body = ledger("put", "orders", "o-2", "--file", unreadable.toString(), "--expected-head", "");
            assertThat(body.exitCode()).as(body.err()).isEqualTo(ExitCode.USAGE.code());
            Run anchor = ledger("verify", "--anchor", unreadable.toString());
            assertThat(anchor.exitCode()).as(anchor.err()).isEqualTo(ExitCode.USAGE.code());
        }
    }

    private Run ledger(String... arguments) {
        return ledger(repository, arguments);
    }

    private static Run ledger(Path repository, String... arguments) {
        String[] all = Stream.concat(Stream.of("ledger", "--repo", repository.toString()), Stream.of(arguments))
                .toArray(String[]::new);
        return Run.tally(all);
    }
}
