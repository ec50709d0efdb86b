package dev.tallystick.client;

import dev.tallystick.core.api.DirectoryApi.Nothing;
import dev.tallystick.core.api.MemberApi.MeshList;
import dev.tallystick.core.api.MemberApi.MeshView;
import dev.tallystick.core.api.MemberApi.TokenIssued;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The meshes of the installation, for admins of the mesh {@code default}. Thread-safe. */
public final class Meshes {

    private static final String PATH = "/v1/meshes";

    private final Transport transport;

    Meshes(Transport transport) {
        this.transport = transport;
    }

    public List<String> list() {
        return transport.ask(Request.get(PATH), MeshList.class).meshes();
    }

    /** Creates a mesh, unless it exists. */
    public void create(String mesh) {
        transport.ask(Request.put(path(mesh), new Nothing()), MeshView.class, MeshView::name, mesh);
    }

    /** A token for the admin of a mesh, who is created if missing. As with other {@link Tokens}, the secret is shown once. */
    public TokenIssued adminToken(String mesh, @Nullable Duration validity) {
        return Tokens.issue(transport, path(mesh) + "/admin-token", validity);
    }

    private static String path(String mesh) {
        return PATH + "/" + Query.encode(mesh);
    }
}
