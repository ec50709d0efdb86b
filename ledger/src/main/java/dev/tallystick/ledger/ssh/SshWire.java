package dev.tallystick.ledger.ssh;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.ledger.git.Bytes;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** The strings and numbers in SSH keys and signatures. */
final class SshWire {

    static final String ED25519 = "ssh-ed25519";

    private SshWire() {}

    static final class Writer {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Writer raw(byte[] bytes) {
            out.writeBytes(bytes);
            return this;
        }

        Writer number(int value) {
            byte[] bytes = new byte[4];
            Bytes.putInt32(bytes, 0, value);
            return raw(bytes);
        }

        Writer string(byte[] bytes) {
            return number(bytes.length).raw(bytes);
        }

        Writer string(String text) {
            return string(text.getBytes(US_ASCII));
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }

    static final class Reader {
        private final byte[] bytes;
        private int position;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        byte[] raw(int length) {
            if (length < 0 || length > bytes.length - position) {
                throw new IllegalArgumentException("an SSH key or signature ends too early");
            }
            position += length;
            return Arrays.copyOfRange(bytes, position - length, position);
        }

        int number() {
            return Bytes.int32(raw(4), 0);
        }

        byte[] string() {
            return raw(number());
        }

        void expect(String text) {
            if (!Arrays.equals(string(), text.getBytes(US_ASCII))) {
                throw new IllegalArgumentException("an SSH key or signature lacks '" + text + "'");
            }
        }

        void end() {
            if (position != bytes.length) {
                throw new IllegalArgumentException("an SSH key or signature has trailing bytes");
            }
        }
    }
}
