package dev.tallystick.server;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.workflow.WorkflowProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Your own workflows on a server: graphs in {@code *.yaml}, and jars with a {@link WorkflowProvider}. Read once, at startup;
 * the server refuses to start if a file is invalid, because jobs would wait for the missing workflow.
 */
final class WorkflowDirectory {

    static final String NAME = "workflows";

    private static final Logger LOG = LoggerFactory.getLogger(WorkflowDirectory.class);

    /** The class loader stays open: bodies may need more classes for as long as the engine runs. */
    static void load(Path data, Engine engine) {
        Path directory = data.resolve(NAME);
        if (!Files.isDirectory(directory)) {
            return;
        }
        DataDirectory.requireTrusted(directory);
        for (Path file : filesIn(directory, ".yaml")) {
            engine.register(GraphYaml.read(file.getFileName().toString(), textOf(file)));
            LOG.info("runs the graph in {}", file);
        }
        List<Path> jars = filesIn(directory, ".jar");
        jars.forEach(WorkflowDirectory::demandReadable);
        URL[] urls = jars.stream().map(WorkflowDirectory::urlOf).toArray(URL[]::new);
        URLClassLoader classes = new URLClassLoader("workflows", urls, Engine.class.getClassLoader());
        try {
            ServiceLoader.load(WorkflowProvider.class, classes)
                    .forEach(provider -> provider.workflows().forEach(type -> {
                        engine.register(type);
                        LOG.info("runs the workflow {} version {}", type.name(), type.version());
                    }));
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new IllegalArgumentException("a jar in " + directory + " cannot be used: " + e, e);
        }
    }

    /** A class path silently skips files that are not jars. */
    private static void demandReadable(Path jar) {
        try (JarFile file = new JarFile(jar.toFile())) {
            LOG.debug("{} has {} entries", jar, file.size());
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read " + jar + " as a jar: " + e.getMessage(), e);
        }
    }

    private static List<Path> filesIn(Path directory, String ending) {
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> found = files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
            found.forEach(DataDirectory::requireTrusted);
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + directory, e);
        }
    }

    private static String textOf(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private static URL urlOf(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException("cannot name " + jar, e);
        }
    }

    private WorkflowDirectory() {}
}
