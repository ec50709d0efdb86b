package dev.tallystick.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.git.Drill;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Proves that the attacks would succeed if the ledger did not defend itself. */
class PlantedBugTest {

    @TempDir(factory = Memory.class)
    Path scratch;

    @Test
    void nothing_is_found_wrong_with_the_ledger_as_it_is() throws IOException, SQLException {
        assertThat(Drill.violations(scratch)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            names = {"SIGNATURE_.*", "ANCHOR_.*", "QUICK_.*", "INDEX_NOT_SEALED"},
            mode = EnumSource.Mode.MATCH_ANY)
    void a_planted_bug_is_caught(PlantedBug bug) throws IOException, ReflectiveOperationException {
        assertThat(bug.violations(scratch)).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("campaign")
    void every_planted_bug_is_caught(PlantedBug bug) throws IOException, ReflectiveOperationException {
        assertThat(bug.violations(scratch)).isNotEmpty();
    }
}
