package dev.tallystick.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.Devices;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.daemon.DaemonSettings.ClonePolicy;
import dev.tallystick.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A directory that was copied to another machine: what each policy does about it, here and at the server. */
class CloneTest {

    private static final String ELSEWHERE = "e".repeat(64);

    @RegisterExtension
    static final RealServer server = RealServer.perClass();

    @TempDir
    Path folder;

    private Path directory() {
        return folder.resolve("d");
    }

    private Path identity() {
        return directory().resolve(Identity.FILE);
    }

    private DaemonSettings offline(ClonePolicy policy) {
        return DaemonUnderTest.settings(directory(), DaemonUnderTest.NOWHERE, "none")
                .withClones(policy);
    }

    /** As if it had been made on another machine. */
    private String copied() throws IOException {
        DaemonUnderTest.offline(directory()).close();
        String made = Files.readString(identity());
        String copied = made.replace(text(made, "host"), ELSEWHERE);
        Files.writeString(identity(), copied);
        return copied;
    }

    @Test
    void a_copied_directory_is_refused_unless_something_else_is_asked_for() throws IOException {
        String copied = copied();

        assertThatThrownBy(() -> DaemonUnderTest.offline(directory()))
                .isInstanceOfSatisfying(
                        DaemonStartException.class,
                        e -> assertThat(e.kind()).isEqualTo(DaemonStartException.Kind.CLONED))
                .hasMessageContaining("--clone allow");
        assertThat(identity()).hasContent(copied);
    }

    @Test
    void a_warning_starts_a_copied_directory_each_time_and_does_not_adopt_it() throws IOException {
        String copied = copied();

        Daemon.start(offline(ClonePolicy.WARN)).close();
        Daemon.start(offline(ClonePolicy.WARN)).close();

        assertThat(identity()).hasContent(copied);
        assertThatThrownBy(() -> Daemon.start(offline(ClonePolicy.REFUSE))).isInstanceOf(DaemonStartException.class);
    }

    @Test
    void a_copied_directory_that_was_allowed_once_belongs_to_this_machine() throws IOException {
        String copied = copied();

        Daemon.start(offline(ClonePolicy.ALLOW)).close();

        assertThat(identity()).content().isNotEqualTo(copied).contains(text(copied, "device"));
        Daemon.start(offline(ClonePolicy.REFUSE)).close();
    }

    @Test
    void a_device_of_another_machine_is_judged_by_the_server_in_the_same_way() throws IOException {
        String token = server.member("cloned");
        Devices devices = new TallyClient(server.address(), token).devices();
        DaemonUnderTest.offline(directory()).close();
        String made = Files.readString(identity());
        devices.register(text(made, "device"), text(made, "public_key"), ELSEWHERE, Devices.IfCloned.REFUSE);

        try (Daemon daemon = Daemon.start(online(token, ClonePolicy.REFUSE))) {
            Eventually.holds(
                    "it pauses",
                    () -> ProblemCode.DEVICE_CLONED
                            .word()
                            .equals(daemon.delivery().code()));
        }
        try (Daemon daemon = Daemon.start(online(token, ClonePolicy.WARN))) {
            Eventually.holds("it delivers", () -> daemon.delivery().isDelivering());
            assertThat(devices.list().getFirst().hostFingerprint()).isEqualTo(ELSEWHERE);
        }
        try (Daemon daemon = Daemon.start(online(token, ClonePolicy.ALLOW))) {
            Eventually.holds("it delivers", () -> daemon.delivery().isDelivering());
            assertThat(devices.list().getFirst().hostFingerprint()).isEqualTo(text(made, "host"));
        }
        try (Daemon daemon = Daemon.start(online(token, ClonePolicy.REFUSE))) {
            Eventually.holds("it delivers", () -> daemon.delivery().isDelivering());
        }
    }

    private DaemonSettings online(String token, ClonePolicy policy) {
        return DaemonUnderTest.settings(directory(), server.address(), token).withClones(policy);
    }

    private static String text(String json, String name) {
        Map<String, Json> members = ((Json.ObjectValue) Json.parse(json.strip())).members();
        return ((Json.StringValue) Objects.requireNonNull(members.get(name))).value();
    }
}
