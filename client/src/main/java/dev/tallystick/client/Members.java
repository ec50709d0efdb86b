package dev.tallystick.client;

import dev.tallystick.core.Role;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The members of the mesh, managed by admins, and the token's own member. Thread-safe. */
public final class Members {

    private static final String PATH = "/v1/members";

    private final Transport transport;

    Members(Transport transport) {
        this.transport = transport;
    }

    /**
     * A member and its roles.
     *
     * @param id never given again, unlike the name; keys belong to it
     * @param createdAt null where the server does not say
     */
    public record Member(
            String mesh,
            String name,
            String id,
            Set<Role> roles,
            @Nullable Instant createdAt) {

        static Member of(Fields fields) {
            return new Member(
                    fields.text("mesh"),
                    fields.text("name"),
                    fields.text("id"),
                    Set.copyOf(fields.texts("roles", Role::parse)),
                    fields.optionalText("created_at", Instant::parse));
        }
    }

    /** The member of the token. */
    public Member me() {
        return transport.ask(Request.get("/v1/me"), Member::of);
    }

    public List<Member> list() {
        return transport.ask(Request.get(PATH), answer -> answer.list("members", Member::of));
    }

    public Member find(String name) {
        return transport.ask(Request.get(path(name)), answer -> Member.of(answer.about("name", name)));
    }

    /** Creates a member, or changes its roles. */
    public Member put(String name, Role... roles) {
        List<String> words = Stream.of(roles).map(Role::word).toList();
        return transport.ask(
                Request.put(path(name), new Body().with("roles", words).json()),
                answer -> Member.of(answer.about("name", name)));
    }

    /** Removes a member, with all its tokens. */
    public void remove(String name) {
        transport.tell(Request.delete(path(name)));
    }

    private static String path(String name) {
        return PATH + "/" + Query.encode(name);
    }
}
