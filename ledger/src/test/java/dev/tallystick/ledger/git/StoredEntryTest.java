package dev.tallystick.ledger.git;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;

class StoredEntryTest {

    @Test
    void a_stored_entry_inflates_to_its_content_and_ends_exactly() throws Exception {
        Random random = new Random(3);
        for (int length : new int[] {0, 1, 15, 16, 2047, 2048, 65_534, 65_535, 65_536, 200_000}) {
            byte[] content = new byte[length];
            random.nextBytes(content);
            byte[] entry = StoredEntry.of(ObjectType.TREE, content);
            int header = PackBuilder.putTypeAndLength(new byte[10], ObjectType.TREE, length);

            Inflater inflater = new Inflater();
            try {
                inflater.setInput(entry, header, entry.length - header);
                byte[] inflated = new byte[length + 1];
                int got = 0;
                while (!inflater.finished() && !inflater.needsInput()) {
                    got += inflater.inflate(inflated, got, inflated.length - got);
                }
                assertThat(Arrays.copyOf(inflated, got)).isEqualTo(content);
                assertThat(inflater.finished()).isTrue();
                assertThat(inflater.getRemaining()).isZero();
            } finally {
                inflater.end();
            }
        }
    }
}
