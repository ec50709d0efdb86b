package dev.tallystick.client;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The meshes of the installation, for admins of the mesh {@code default}. Thread-safe. */
public final class Meshes {

    private static final String PATH = "/v1/meshes";

    private final Exchange exchange;

    Meshes(Exchange exchange) {
        this.exchange = exchange;
    }

    public List<String> list() {
        return exchange.ask(Request.get(PATH), answer -> answer.texts("meshes"));
    }

    /** Creates a mesh, unless it exists. */
    public void create(String mesh) {
        exchange.ask(Request.put(path(mesh), new Body().json()), answer -> answer.about("name", mesh));
    }

    /** A token for the admin of a mesh, who is created if missing. As with other {@link Tokens}, the secret is shown once. */
    public Tokens.Issued adminToken(String mesh, @Nullable Duration validity) {
        return Tokens.issue(exchange, path(mesh) + "/admin-token", validity);
    }

    private static String path(String mesh) {
        return PATH + "/" + TallyClient.encode(mesh);
    }
}
