package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import dev.tallystick.core.api.MemberApi.IssueToken;
import dev.tallystick.core.api.MemberApi.TokenIssued;
import dev.tallystick.core.api.MemberApi.TokenList;
import dev.tallystick.core.api.MemberApi.TokenView;
import java.time.Duration;
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

    /** The tokens of a member, including expired and revoked ones. */
    public List<TokenView> list(String member) {
        return transport.ask(Request.get(path(member)), TokenList.class).tokens();
    }

    public TokenIssued issue(String member, @Nullable Duration validity) {
        return issue(transport, path(member), validity);
    }

    /** Issues a new token in place of this one, which is revoked at once. */
    public TokenIssued rotate(String token, @Nullable Duration validity) {
        return issue(transport, "/v1/tokens/" + Query.encode(token) + "/rotate", validity);
    }

    /** Revokes a token: everywhere within 5 seconds. */
    public void revoke(String token) {
        transport.tell(Request.delete("/v1/tokens/" + Query.encode(token)));
    }

    static TokenIssued issue(Transport transport, String path, @Nullable Duration validity) {
        IssueToken body = new IssueToken(Durations.secondsOrNull(validity));
        return transport.ask(Request.post(path, body).unrepeatable(), TokenIssued.class);
    }

    private static String path(String member) {
        return "/v1/members/" + Query.encode(member) + "/tokens";
    }
}
