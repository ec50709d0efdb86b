package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.graph.InvalidGraphException;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.WorkflowProvider;
import dev.tallystick.workflow.WorkflowType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Workflows that a server finds in its directory. */
class WorkflowDirectoryTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    private Path workflows;

    /** As in a user's jar. */
    public static final class Brought implements WorkflowProvider {

        @Override
        public List<WorkflowType<?, ?>> workflows() {
            return List.of(WorkflowType.of("brought", String.class, String.class, (ctx, name) -> "hello " + name));
        }
    }

    @BeforeEach
    void make() throws IOException {
        workflows = Files.createDirectories(data.resolve(WorkflowDirectory.NAME));
    }

    @Test
    void graphs_and_jars_in_the_directory_are_run() throws IOException {
        Files.writeString(workflows.resolve("drawn.yaml"), """
                workflow: drawn
                version: 1

                nodes:
                  asked:
                    kind: trigger

                output: "'drawn for ' & input"
                """);
        WorkflowJar.write(data, Brought.class);

        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            Http http = server.admin();
            String code = http.submit("w1", "{\"workflow\":\"brought\",\"input\":\"ann\"}")
                    .text("job_id");
            String graph = http.submit("w2", "{\"workflow\":\"drawn\",\"input\":\"ann\"}")
                    .text("job_id");

            assertThat(http.get("/v1/jobs/" + code + "/result?wait=30").text("output"))
                    .isEqualTo("hello ann");
            assertThat(http.get("/v1/jobs/" + graph + "/result?wait=30").text("output"))
                    .isEqualTo("drawn for ann");
        }
    }

    @Test
    void a_graph_that_is_none_keeps_the_server_from_starting() throws IOException {
        Files.writeString(workflows.resolve("broken.yaml"), "workflow: broken\n");

        assertThatThrownBy(() -> ServerUnderTest.on(postgres, data))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("broken.yaml");
    }

    @Test
    void a_jar_that_is_none_keeps_the_server_from_starting() throws IOException {
        Files.writeString(workflows.resolve("broken.jar"), "no jar");

        assertThatThrownBy(() -> ServerUnderTest.on(postgres, data))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("broken.jar");
    }

    @Test
    void a_jar_that_names_what_is_not_there_keeps_the_server_from_starting() throws IOException {
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(workflows.resolve("empty.jar")))) {
            jar.putNextEntry(new JarEntry("META-INF/services/" + WorkflowProvider.class.getName()));
            jar.write("no.such.Provider".getBytes(StandardCharsets.UTF_8));
        }

        assertThatThrownBy(() -> ServerUnderTest.on(postgres, data))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no.such.Provider");
    }
}
