package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server runs what it finds in its directory, so no other user may be able to write there. */
class DataDirectoryTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    Path home;

    private Path data;

    @BeforeEach
    void make() throws IOException {
        data = Files.createDirectory(home.resolve("data"));
        Files.createDirectory(data.resolve(WorkflowDirectory.NAME));
        Files.writeString(data.resolve("workflows/a.jar"), "none");
        Files.writeString(data.resolve("workflows/a.yaml"), "workflow: a");
        Files.writeString(data.resolve(AdminToken.FILE), "none");
        for (String path : new String[] {"", "workflows", "workflows/a.jar", "workflows/a.yaml", AdminToken.FILE}) {
            mode(data.resolve(path), "rwxr-xr-x");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', rwxrwxr-x, 0775",
        "'', rwx----w-, 0702",
        "workflows, rwxr-xrwx, 0757",
        "workflows/a.yaml, rw-rw----, 0660",
        "workflows/a.jar, rw-----w-, 0602",
        "admin.token, rw-rw-rw-, 0666",
    })
    void what_others_may_write_to_is_refused_with_its_mode(String path, String permissions, String mode)
            throws IOException {
        // The graph is read first, and would be refused for what it is.
        Files.delete(data.resolve(path.endsWith(".jar") ? "workflows/a.yaml" : "workflows/a.jar"));
        mode(data.resolve(path), permissions);

        assertThatThrownBy(this::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(data.resolve(path).toString(), mode, "chmod go-w");
    }

    @Test
    void a_directory_that_everybody_may_replace_is_refused() throws IOException {
        mode(home, "rwxrwxrwx");

        assertThatThrownBy(this::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(home.toString(), "0777", "chmod o-w");
    }

    @Test
    void what_a_link_leads_to_counts() throws IOException {
        Path elsewhere = Files.createDirectory(home.resolve("elsewhere"));
        mode(elsewhere, "rwxrwxrwx");
        Path link = Files.createSymbolicLink(home.resolve("link"), elsewhere);

        assertThatThrownBy(() -> DataDirectory.requireTrusted(link)).hasMessageContaining("0777");
    }

    @Test
    void the_directories_above_what_a_link_leads_to_count() throws IOException {
        Path open = Files.createDirectory(home.resolve("open"));
        Path elsewhere = Files.createDirectory(open.resolve("elsewhere"));
        mode(elsewhere, "rwx------");
        mode(open, "rwxrwxrwx");
        Path link = Files.createSymbolicLink(home.resolve("link"), elsewhere);

        assertThatThrownBy(() -> DataDirectory.requireTrusted(link)).hasMessageContaining("chmod o-w");
    }

    @Test
    void what_belongs_to_another_user_is_refused() throws IOException {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        Files.setAttribute(data, "unix:uid", 65_534);

        assertThatThrownBy(this::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("belongs to the user 65534");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwx------", "rwxr-xr-x"})
    void what_others_may_only_read_is_used(String permissions) throws IOException {
        mode(data, permissions);

        assertThatCode(() -> DataDirectory.open(data)).doesNotThrowAnyException();
    }

    private void start() {
        TallyServer.start(ServerUnderTest.settings(postgres.url(), data)).close();
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
}
