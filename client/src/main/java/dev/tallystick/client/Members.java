package dev.tallystick.client;

import dev.tallystick.core.Role;
import dev.tallystick.core.api.MemberApi.MemberList;
import dev.tallystick.core.api.MemberApi.MemberView;
import dev.tallystick.core.api.MemberApi.PutMember;
import java.util.List;
import java.util.stream.Stream;

/** The members of the mesh, managed by admins, and the token's own member. Thread-safe. */
public final class Members {

    private static final String PATH = "/v1/members";

    private final Transport transport;

    Members(Transport transport) {
        this.transport = transport;
    }

    /** The member of the token. */
    public MemberView me() {
        return transport.ask(Request.get("/v1/me"), MemberView.class);
    }

    public List<MemberView> list() {
        return transport.ask(Request.get(PATH), MemberList.class).members();
    }

    public MemberView find(String name) {
        return transport.ask(Request.get(path(name)), MemberView.class, MemberView::name, name);
    }

    /** Creates a member, or changes its roles. */
    public MemberView put(String name, Role... roles) {
        PutMember body = new PutMember(Stream.of(roles).map(Role::word).toList());
        return transport.ask(Request.put(path(name), body), MemberView.class, MemberView::name, name);
    }

    /** Removes a member, with all its tokens. */
    public void remove(String name) {
        transport.tell(Request.delete(path(name)));
    }

    private static String path(String name) {
        return PATH + "/" + Query.encode(name);
    }
}
