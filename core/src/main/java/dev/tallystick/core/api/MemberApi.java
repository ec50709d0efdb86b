package dev.tallystick.core.api;

import dev.tallystick.core.Role;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Members with their roles and tokens, and meshes. */
public interface MemberApi {

    /**
     * A member and its roles.
     *
     * @param id never given again, unlike the name; keys belong to it
     * @param createdAt null where the server does not say
     */
    record MemberView(
            String mesh,
            String name,
            String id,
            List<Role> roles,
            @Nullable Instant createdAt) {}

    record MemberList(List<MemberView> members) {}

    record PutMember(
            @Values(oneOf = {"admin", "member", "worker", "observer", "partner"})
            List<String> roles) {}

    /**
     * A token to issue.
     *
     * @param validSeconds how long it is valid; until it is revoked, if missing
     */
    record IssueToken(@Values(least = 1) @Nullable Integer validSeconds) {}

    /**
     * A new token.
     *
     * @param token its secret: this is the only time that it is shown
     */
    record TokenIssued(
            String id,
            String member,
            String token,
            @Nullable Instant expiresAt) {

        /** Without the secret, because it may be logged. */
        @Override
        public String toString() {
            return "token " + id + " of " + member;
        }
    }

    /** A token without its secret. */
    record TokenView(
            String id,
            String member,
            Instant createdAt,
            @Nullable Instant expiresAt,
            @Nullable Instant revokedAt) {}

    record TokenList(List<TokenView> tokens) {}

    record MeshList(List<String> meshes) {}

    record MeshView(String name) {}
}
