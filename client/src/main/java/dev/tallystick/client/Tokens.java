package dev.tallystick.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of members, issued by admins. A secret is shown once and stored nowhere, so neither {@link #issue} nor {@link
 * #rotate} is repeated when an answer was lost: an {@link OutcomeUnknownException} may leave a token whose secret is lost,
 * which {@link #list} shows and {@link #revoke} ends. With a null {@code validity}, a token is valid until it is revoked.
 * Thread-safe.
 */
public final class Tokens {

    private final Transport transport;

    Tokens(Transport transport) {
        this.transport = transport;
    }

    /** A token without its secret. */
    public record Token(
            String id,
            String member,
            Instant createdAt,
            @Nullable Instant expiresAt,
            @Nullable Instant revokedAt) {

        static Token of(Fields fields) {
            return new Token(
                    fields.text("id"),
                    fields.text("member"),
                    fields.text("created_at", Instant::parse),
                    fields.optionalText("expires_at", Instant::parse),
                    fields.optionalText("revoked_at", Instant::parse));
        }
    }

    /** A new token: the only time that its secret is shown. */
    public record Issued(
            String id,
            String member,
            String secret,
            @Nullable Instant expiresAt) {

        static Issued of(Fields fields) {
            return new Issued(
                    fields.text("id"),
                    fields.text("member"),
                    fields.text("token"),
                    fields.optionalText("expires_at", Instant::parse));
        }

        /** Without the secret, because it may be logged. */
        @Override
        public String toString() {
            return "token " + id + " of " + member;
        }
    }

    /** The tokens of a member, including expired and revoked ones. */
    public List<Token> list(String member) {
        return transport.ask(Request.get(path(member)), answer -> answer.list("tokens", Token::of));
    }

    public Issued issue(String member, @Nullable Duration validity) {
        return issue(transport, path(member), validity);
    }

    /** Issues a new token in place of this one, which is revoked at once. */
    public Issued rotate(String token, @Nullable Duration validity) {
        return issue(transport, "/v1/tokens/" + Query.encode(token) + "/rotate", validity);
    }

    /** Revokes a token: everywhere within 5 seconds. */
    public void revoke(String token) {
        transport.tell(Request.delete("/v1/tokens/" + Query.encode(token)));
    }

    static Issued issue(Transport transport, String path, @Nullable Duration validity) {
        Body body = new Body().withSeconds("valid_seconds", validity);
        return transport.ask(Request.post(path, body.json()).unrepeatable(), Issued::of);
    }

    private static String path(String member) {
        return "/v1/members/" + Query.encode(member) + "/tokens";
    }
}
