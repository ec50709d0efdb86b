package dev.tallystick.broker;

import dev.tallystick.keys.Scope;
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
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The meshes, their members, and the tokens by which members are known.
 *
 * <p>What was read is believed for {@link #BELIEVED}: that is how long a token may still pass at another process after it was
 * revoked, its member removed or its roles changed. Thread-safe.
 */
public final class Members {

    /** Less than the five seconds within which a revocation takes effect everywhere. */
    public static final Duration BELIEVED = Duration.ofSeconds(2);

    /** So many tokens are remembered at most. */
    static final int MAX_REMEMBERED = 10_000;

    private final Database database;
    private final EndWatch ends;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final MemberStore store = new MemberStore();
    private final ConcurrentMap<String, Remembered> remembered = new ConcurrentHashMap<>();

    /** What a look at the database said of a token, and when; null if it is worth nothing. */
    private record Remembered(@Nullable Credentials credentials, Instant read) {}

    /**
     * @param ends where the webhooks of members may watch
     * @param random a {@link java.security.SecureRandom}: tokens are drawn from it
     */
    public Members(Database database, EndWatch ends, InstantSource clock, RandomGenerator random) {
        this.database = database;
        this.ends = ends;
        this.clock = clock;
        this.random = random;
    }

    /** Whoever holds this token; empty if it is unknown, expired, revoked, or its member is gone. */
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

    /** Whether this token was issued to a member that is still there. It may be worth nothing by now. */
    public boolean isIssued(Token token) {
        return database.transact("look for token", tx -> store.isIssued(tx, token));
    }

    /** Creates a mesh, and returns false if there was one of this name already. */
    public boolean createMesh(String name) {
        Names.require("mesh", name);
        return database.transact("create mesh", tx -> store.createMesh(tx, name));
    }

    public List<String> meshes() {
        return database.transact("list meshes", store::meshes);
    }

    /** Creates a member, and returns false if its mesh does not exist or it does; nothing is changed then. */
    public boolean create(Member member) {
        return create(member, Stock.Room.ANY);
    }

    /** As {@link #create(Member)}, if there is room. */
    public boolean create(Member member, Stock.Room room) {
        return database.transact("create member", tx -> {
            room.require(tx);
            return store.createMember(tx, member);
        });
    }

    /** Changes what a member may do, and returns false if there is no such member. */
    public boolean changeRoles(String mesh, String name, Set<Role> roles) {
        Member changed = new Member(mesh, name, roles);
        boolean done = database.transact("change roles", tx -> store.changeRoles(tx, changed));
        remembered.clear();
        return done;
    }

    /** Ends a membership, with all its tokens, subscriptions and webhooks. What waits for it is not delivered any more. */
    public boolean remove(String mesh, String name) {
        boolean done = database.transact("remove member", tx -> {
            Optional<Inbox> inbox = store.lockMember(tx, mesh, name).map(Inbox::member);
            if (inbox.isEmpty()) {
                return false;
            }
            for (String webhook : store.webhooks(tx, mesh, name)) {
                ends.unwatch(tx, webhook);
            }
            store.removeSubscriptions(tx, mesh, inbox.get());
            store.removeWebhookSubscriptions(tx, mesh, name);
            store.buryDeliveries(tx, mesh, inbox.get());
            return store.removeMember(tx, mesh, name);
        });
        remembered.clear();
        return done;
    }

    public List<MemberInfo> list(String mesh) {
        return database.transact("list members", tx -> store.members(tx, mesh));
    }

    public Optional<MemberInfo> find(String mesh, String name) {
        return database.transact("find member", tx -> store.member(tx, mesh, name));
    }

    /** Whether jobs may be submitted in this name, as of the transaction. */
    public boolean maySubmit(Tx tx, Scope scope) throws SQLException {
        return store.identified(tx, scope.mesh(), scope.member())
                .filter(found -> found.member().may(Role.MEMBER))
                .isPresent();
    }

    /**
     * A new token for a member; the others stay as they are.
     *
     * @param validity how long it is good; null for as long as nobody revokes it
     * @return empty if there is no such member
     */
    public Optional<IssuedToken> issue(String mesh, String member, @Nullable Duration validity) {
        return issue(mesh, member, validity, Stock.Room.ANY);
    }

    /** As {@link #issue(String, String, Duration)}, if there is room. */
    public Optional<IssuedToken> issue(String mesh, String member, @Nullable Duration validity, Stock.Room room) {
        Token token = Token.mint(random);
        return database.transact("issue token", tx -> {
                    room.require(tx);
                    return store.issue(tx, token, mesh, member, validity);
                })
                .map(info -> new IssuedToken(token, info));
    }

    /**
     * A new token in place of an old one, which is worth nothing from now on.
     *
     * @return empty if there is no such token in the mesh, or it was revoked before
     */
    public Optional<IssuedToken> rotate(String mesh, String tokenId, @Nullable Duration validity) {
        Token token = Token.mint(random);
        Optional<IssuedToken> rotated = database.transact("rotate token", tx -> {
            Optional<TokenInfo> old = store.token(tx, mesh, tokenId);
            if (old.isEmpty() || old.get().revoked() != null) {
                return Optional.empty();
            }
            store.revoke(tx, mesh, tokenId);
            return store.issue(tx, token, mesh, old.get().member(), validity).map(info -> new IssuedToken(token, info));
        });
        remembered.remove(tokenId);
        return rotated;
    }

    /** Makes a token worth nothing: here at once, everywhere within {@link #BELIEVED}. Repeating it changes nothing. */
    public Optional<TokenInfo> revoke(String mesh, String tokenId) {
        Optional<TokenInfo> revoked = database.transact("revoke token", tx -> store.revoke(tx, mesh, tokenId));
        remembered.remove(tokenId);
        return revoked;
    }

    public List<TokenInfo> tokens(String mesh, String member) {
        return database.transact("list tokens", tx -> store.tokens(tx, mesh, member));
    }

    private @Nullable Credentials read(String tokenId) {
        return database.transact("authenticate", tx -> store.credentials(tx, tokenId))
                .orElse(null);
    }

    /** Tokens that nobody has ever issued are remembered too, so that a flood of them does not reach the database. */
    private void remember(String tokenId, Remembered read) {
        if (remembered.size() >= MAX_REMEMBERED) {
            remembered.clear();
        }
        remembered.put(tokenId, read);
    }
}
