package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A token is shown once: repeating the request after a lost answer would leave an unknown token behind. */
@Timeout(60)
class LostTokenTest {

    @ParameterizedTest
    @CsvSource({"member token shop, tally member tokens shop", "mesh token partners, tally member tokens admin"})
    void a_token_whose_answer_is_lost_is_not_asked_for_again_but_to_be_looked_for(String command, String look)
            throws IOException {
        AtomicInteger requests = new AtomicInteger();
        try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> hangUpOnEverybody(socket, requests));
            Map<String, String> environment =
                    Map.of("TALLY_SERVER", "http://127.0.0.1:" + socket.getLocalPort(), "TALLY_TOKEN", "t");

            Run run = Run.tally(environment, command.split(" ", -1));

            assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN_OUTCOME.code());
            assertThat(run.err())
                    .contains("it is unknown whether", look, "tally member revoke ID")
                    .doesNotContain("--key");
            assertThat(requests).hasValue(1);
        }
    }

    private static void hangUpOnEverybody(ServerSocket socket, AtomicInteger requests) {
        try {
            while (true) {
                try (Socket caller = socket.accept()) {
                    byte[] unused = caller.getInputStream().readNBytes(10);
                    requests.incrementAndGet();
                }
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }
}
