package dev.tallystick.exchange.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.exchange.message.StatusTable.Change;
import dev.tallystick.exchange.message.StatusTable.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StatusTableTest {

    @Test
    void every_change_moves_forward() {
        assertThat(StatusTable.changes())
                .allSatisfy(change -> assertThat(change.to().ack())
                        .isGreaterThan(change.from().ack()));
    }

    @Test
    void an_outcome_never_changes() {
        assertThat(StatusTable.changes())
                .filteredOn(change -> change.from().processing() != ProcessingStatus.PENDING)
                .allSatisfy(change -> assertThat(change.to().processing())
                        .isEqualTo(change.from().processing()));
    }

    @ParameterizedTest
    @EnumSource
    void every_status_is_reached_from_the_first_and_can_end(Side side) {
        assertThat(StatusTable.changes())
                .filteredOn(change -> change.side() == side)
                .allSatisfy(change -> assertThat(change.from().equals(StatusTable.first(side))
                                || StatusTable.changes().stream().anyMatch(other -> leadsTo(other, change)))
                        .isTrue());
    }

    private static boolean leadsTo(Change one, Change next) {
        return one.side() == next.side() && one.to().equals(next.from());
    }

    @Test
    void a_result_goes_with_a_decision() {
        assertThatThrownBy(() -> new Status(AckStatus.ACKED_RESULT, ProcessingStatus.PENDING))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Status(AckStatus.ACKED_POSTING, ProcessingStatus.OK))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource
    void the_docs_show_the_diagram_of_the_table(Side side) throws IOException {
        Path page = Path.of(System.getProperty("tally.root")).resolve("docs/formats/exchange.md");

        assertThat(Files.readString(page)).contains("```mermaid\n" + StatusTable.diagram(side) + "```");
    }
}
