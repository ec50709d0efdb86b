package dev.tallystick.server;

import dev.tallystick.workflow.WorkflowProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** Workflows as users bring them to a server: a class in a jar, and the service file that names it. */
final class WorkflowJar {

    /** Puts the jar where a server with this directory finds it. */
    static void write(Path data, Class<? extends WorkflowProvider> provider) {
        String name = provider.getName().replace('.', '/') + ".class";
        try {
            Path workflows = Files.createDirectories(data.resolve(WorkflowDirectory.NAME));
            try (OutputStream out = Files.newOutputStream(workflows.resolve("brought.jar"));
                    JarOutputStream jar = new JarOutputStream(out);
                    InputStream code = provider.getClassLoader().getResourceAsStream(name)) {
                jar.putNextEntry(new JarEntry("META-INF/services/" + WorkflowProvider.class.getName()));
                jar.write(provider.getName().getBytes(StandardCharsets.UTF_8));
                jar.putNextEntry(new JarEntry(name));
                jar.write(code.readAllBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private WorkflowJar() {}
}
