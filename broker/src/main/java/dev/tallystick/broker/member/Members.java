package dev.tallystick.broker.member;

import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Names;
import dev.tallystick.core.Role;
import dev.tallystick.keys.Scope;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The meshes, their members, and the tokens that authenticate members.
 *
 * <p>Reads are cached for {@link #BELIEVED}: that is how long another process may still accept a token after it was revoked,
 * its member removed or its roles changed. Thread-safe.
 */
public final class Members {

    /** Less than the five seconds within which a revocation takes effect everywhere. */
    public static final Duration BELIEVED = Duration.ofSeconds(2);

    /** The maximum number of cached tokens. */
    static final int MAX_REMEMBERED = 10_000;

    private final Database database;
    private final CompletionWatch ends;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final MemberStore store = new MemberStore();
    private final ConcurrentMap<String, Remembered> remembered = new ConcurrentHashMap<>();

    /** The result of looking up a token, and when; null if it is invalid. */
    private record Remembered(@Nullable Credentials credentials, Instant read) {}

    /**
     * @param ends the job ends that members' webhooks may watch
     * @param random a {@link java.security.SecureRandom}: tokens are drawn from it
     */
    public Members(Database database, CompletionWatch ends, InstantSource clock, RandomGenerator random) {
        this.database = database;
        this.ends = ends;
        this.clock = clock;
        this.random = random;
    }

    /** The member that this token authenticates; empty if it is unknown, expired, revoked, or its member is gone. */
    public Optional<Member> authenticate(Token token) {
        Instant now = clock.instant();
        Remembered known = remembered.get(token.id());
        if (known == null || !now.isBefore(known.read.plus(BELIEVED)) || now.isBefore(known.read)) {
            known = new Remembered(read(token.id()), now);
            remember(token.id(), known);
        }
        Credentials credentials = known.credentials;
        return credentials != null
                        && credentials.fit(token)
                        && credentials.areGoodAfter(Duration.between(known.read, now))
                ? Optional.of(credentials.member())
                : Optional.empty();
    }

    /** Whether this token was issued to an existing member. It may be invalid by now. */
    public boolean isIssued(Token token) {
        return database.read("look for token", tx -> store.isIssued(tx, token));
    }

    /** Creates a mesh; returns false if it exists. */
    public boolean createMesh(String name) {
        Names.require("mesh", name);
        return database.transact("create mesh", tx -> store.createMesh(tx, name));
    }

    public List<String> meshes() {
        return database.read("list meshes", store::meshes);
    }

    /** Creates a member; returns false, changing nothing, if its mesh does not exist or the member does. */
    public boolean create(Member member) {
        return create(member, Stock.Room.ANY, Also.NOTHING);
    }

    /** As {@link #create(Member)}, if there is room. */
    public boolean create(Member member, Stock.Room room, Also also) {
        return database.transact("create member", tx -> {
            room.require(tx);
            return done(tx, store.createMember(tx, member), also);
        });
    }

    private static boolean done(Tx tx, boolean done, Also also) throws SQLException {
        if (done) {
            also.write(tx);
        }
        return done;
    }

    /** Changes a member's roles; returns false if there is no such member. */
    public boolean changeRoles(String mesh, String name, Set<Role> roles, Also also) {
        Member changed = new Member(mesh, name, roles);
        boolean done = database.transact("change roles", tx -> done(tx, store.changeRoles(tx, changed), also));
        remembered.clear();
        return done;
    }

    /**
     * Removes a member with its tokens, subscriptions and webhooks. Its waiting deliveries are dropped.
     *
     * @param also by the identity of the member
     */
    public boolean remove(String mesh, String name, Function<String, Also> also) {
        boolean done = database.transact("remove member", tx -> {
            Optional<String> id = store.lockMember(tx, mesh, name);
            Optional<Inbox> inbox = id.map(Inbox::member);
            if (inbox.isEmpty()) {
                return false;
            }
            for (String webhook : store.webhooks(tx, mesh, name)) {
                ends.unwatch(tx, webhook);
            }
            store.removeSubscriptions(tx, mesh, inbox.get());
            store.removeWebhookSubscriptions(tx, mesh, name);
            store.buryDeliveries(tx, mesh, inbox.get());
            return done(tx, store.removeMember(tx, mesh, name), also.apply(id.get()));
        });
        remembered.clear();
        return done;
    }

    public List<MemberInfo> list(String mesh) {
        return database.read("list members", tx -> store.members(tx, mesh));
    }

    public Optional<MemberInfo> find(String mesh, String name) {
        return database.read("find member", tx -> store.member(tx, mesh, name));
    }

    /** Whether this member may submit jobs, as of the transaction. */
    public boolean maySubmit(Tx tx, Scope scope) throws SQLException {
        return store.identified(tx, scope.mesh(), scope.member())
                .filter(found -> found.member().may(Role.MEMBER))
                .isPresent();
    }

    /**
     * Issues a new token for a member; its other tokens stay valid.
     *
     * @param validity how long it is valid; null until revoked
     * @return empty if there is no such member
     */
    public Optional<IssuedToken> issue(String mesh, String member, @Nullable Duration validity) {
        return issue(mesh, member, validity, Stock.Room.ANY, token -> Also.NOTHING);
    }

    /**
     * As {@link #issue(String, String, Duration)}, if there is room.
     *
     * @param also by the ID of the token
     */
    public Optional<IssuedToken> issue(
            String mesh, String member, @Nullable Duration validity, Stock.Room room, Function<String, Also> also) {
        Token token = Token.mint(random);
        return database.transact("issue token", tx -> {
                    room.require(tx);
                    Optional<TokenInfo> issued = store.issue(tx, token, mesh, member, validity);
                    boolean unused = done(tx, issued.isPresent(), also.apply(token.id()));
                    return issued;
                })
                .map(info -> new IssuedToken(token, info));
    }

    /**
     * Replaces a token; the old one is invalid from now on.
     *
     * @return empty if there is no such token in the mesh, or it was revoked before
     */
    public Optional<IssuedToken> rotate(String mesh, String tokenId, @Nullable Duration validity, Also also) {
        Token token = Token.mint(random);
        Optional<IssuedToken> rotated = database.transact("rotate token", tx -> {
            Optional<TokenInfo> old = store.token(tx, mesh, tokenId);
            if (old.isEmpty() || old.get().revoked() != null) {
                return Optional.empty();
            }
            store.revoke(tx, mesh, tokenId);
            also.write(tx);
            return store.issue(tx, token, mesh, old.get().member(), validity).map(info -> new IssuedToken(token, info));
        });
        remembered.remove(tokenId);
        return rotated;
    }

    /** Revokes a token: here at once, everywhere within {@link #BELIEVED}. Repeatable. */
    public Optional<TokenInfo> revoke(String mesh, String tokenId, Also also) {
        Optional<TokenInfo> revoked = database.transact("revoke token", tx -> {
            boolean first = store.token(tx, mesh, tokenId)
                    .filter(token -> token.revoked() == null)
                    .isPresent();
            Optional<TokenInfo> done = store.revoke(tx, mesh, tokenId);
            boolean unused = done(tx, first, also);
            return done;
        });
        remembered.remove(tokenId);
        return revoked;
    }

    public List<TokenInfo> tokens(String mesh, String member) {
        return database.read("list tokens", tx -> store.tokens(tx, mesh, member));
    }

    private @Nullable Credentials read(String tokenId) {
        return database.read("authenticate", tx -> store.credentials(tx, tokenId))
                .orElse(null);
    }

    /** Unknown tokens are cached too, so that a flood of them does not reach the database. */
    private void remember(String tokenId, Remembered read) {
        if (remembered.size() >= MAX_REMEMBERED) {
            remembered.clear();
        }
        remembered.put(tokenId, read);
    }
}
