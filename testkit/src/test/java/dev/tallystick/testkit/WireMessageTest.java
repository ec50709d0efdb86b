package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WireMessageTest {

    private static final int HEAD = 64 * 1024;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, HEAD - 5, HEAD - 4, HEAD - 3, HEAD, 3 * HEAD, 1_000_000})
    void a_message_of_any_size_passes_unchanged_however_it_arrives(int size) throws IOException {
        byte[] bytes = message('D', "x".repeat(size));
        ByteArrayOutputStream passed = new ByteArrayOutputStream();
        DataInputStream in = new DataInputStream(new Trickle(bytes));
        WireMessage.read(in).orElseThrow().transferTo(passed);
        assertThat(passed.toByteArray()).isEqualTo(bytes);
        assertThat(WireMessage.read(in)).isEmpty();
    }

    @Test
    void a_startup_message_has_a_code_and_no_type() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(8);
        out.writeInt(80877103);
        WireMessage startup = WireMessage.readStartup(input(bytes.toByteArray()));
        assertThat(startup.code()).isEqualTo(80877103);
        ByteArrayOutputStream passed = new ByteArrayOutputStream();
        startup.transferTo(passed);
        assertThat(passed.toByteArray()).isEqualTo(bytes.toByteArray());
    }

    @Test
    void a_truncated_message_is_an_error_and_not_an_end() throws IOException {
        byte[] whole = message('D', "x".repeat(2 * HEAD));
        for (int length : new int[] {3, 100, HEAD + 10}) {
            DataInputStream in = input(Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> WireMessage.read(in).orElseThrow().transferTo(OutputStream.nullOutputStream()))
                    .isInstanceOf(EOFException.class);
        }
    }

    @Test
    void invalid_messages_are_refused() {
        assertThatThrownBy(() -> WireMessage.read(input("G\0\0\0\3".getBytes(StandardCharsets.US_ASCII))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not the Postgres protocol");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "commit",
                " Commit ; ",
                "END",
                "commit work",
                "insert into t values (1); commit",
                "COMMIT AND CHAIN",
                "commit; begin"
            })
    void a_simple_query_with_a_commit_is_a_commit(String text) throws IOException {
        assertThat(new CommitSpotter().isCommit(read('Q', text))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "BEGIN",
                "ROLLBACK",
                "insert into commit values (1)",
                "commit prepared 'x'",
                "select case when true then 1 end",
                "committed"
            })
    void a_simple_query_without_one_is_none(String text) throws IOException {
        assertThat(new CommitSpotter().isCommit(read('Q', text))).isFalse();
    }

    @Test
    void a_prepared_commit_is_found_wherever_it_is_executed() throws IOException {
        CommitSpotter spotter = new CommitSpotter();
        assertThat(spotter.isCommit(read('P', "S_1", "COMMIT"))).isFalse();
        assertThat(spotter.isCommit(read('P', "", "insert into t values (1)"))).isFalse();
        assertThat(spotter.isCommit(read('B', "C_1", "S_1"))).isFalse();
        assertThat(spotter.isCommit(read('B', "", ""))).isFalse();
        assertThat(spotter.isCommit(read('E', ""))).isFalse();
        assertThat(spotter.isCommit(read('E', "C_1"))).isTrue();
    }

    @Test
    void an_unnamed_statement_is_forgotten_when_another_takes_its_place() throws IOException {
        CommitSpotter spotter = new CommitSpotter();
        for (String text : List.of("COMMIT", "select 1", "COMMIT")) {
            spotter.isCommit(read('P', "", text));
            spotter.isCommit(read('B', "", ""));
            assertThat(spotter.isCommit(read('E', ""))).isEqualTo(text.equals("COMMIT"));
        }
    }

    @Test
    void the_statements_of_a_transaction_are_known_at_its_commit() throws IOException {
        CommitSpotter spotter = new CommitSpotter();
        for (String text : List.of("select 'before'", "BEGIN", "insert into t values (1)", "COMMIT")) {
            spotter.isCommit(read('Q', text));
        }
        assertThat(spotter.executed()).containsExactlyInAnyOrder("BEGIN", "insert into t values (1)", "COMMIT");
    }

    private static WireMessage read(char type, String... strings) throws IOException {
        return WireMessage.read(input(message(type, String.join("\0", strings) + "\0")))
                .orElseThrow();
    }

    private static byte[] message(char type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(message);
        out.writeByte(type);
        out.writeInt(bytes.length + 4);
        out.write(bytes);
        return message.toByteArray();
    }

    private static DataInputStream input(byte[] bytes) {
        return new DataInputStream(new ByteArrayInputStream(bytes));
    }

    /** Returns a few bytes at a time, however many are requested. */
    private static final class Trickle extends ByteArrayInputStream {
        Trickle(byte[] bytes) {
            super(bytes);
        }

        @Override
        public synchronized int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(length, 7));
        }
    }
}
