package dev.tallystick.broker.member;

import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Role;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tables of meshes, members and tokens. One method is one statement; the caller owns the transaction. */
public final class MemberStore {

    private static final String CREATE_MESH = """
            insert into tally.mesh (name)
            values (?)
            on conflict (name) do nothing
            """;

    private static final String MESHES = """
            select name
            from tally.mesh
            order by name
            """;

    // A missing mesh yields no row, and neither does an existing member.
    private static final String CREATE_MEMBER = """
            with given as (
                insert into tally.member_name as n (mesh, name, given)
                select s.name, i.name, 1
                from (values (?::text, ?::text)) as i (mesh, name)
                join tally.mesh s on s.name = i.mesh
                where not exists (select from tally.member m where m.mesh = i.mesh and m.name = i.name)
                on conflict (mesh, name) do update
                set given = n.given + 1
                returning mesh, name, given
            )
            insert into tally.member (mesh, name, roles, incarnation)
            select mesh, name, ?, given
            from given
            on conflict (mesh, name) do nothing
            """;

    private static final String CHANGE_ROLES = """
            update tally.member
            set roles = ?
            where mesh = ? and name = ?
            """;

    private static final String LOCK_MEMBER = """
            select id
            from tally.member
            where mesh = ? and name = ?
            for update
            """;

    private static final String REMOVE_MEMBER = """
            delete from tally.member
            where mesh = ? and name = ?
            """;

    private static final String REMOVE_SUBSCRIPTIONS = """
            delete from tally.subscription
            where mesh = ? and inbox = ?
            """;

    private static final String WEBHOOKS = """
            select id
            from tally.webhook
            where mesh = ? and member = ?
            """;

    private static final String REMOVE_WEBHOOK_SUBSCRIPTIONS = """
            delete from tally.subscription s
            using tally.webhook w
            where w.mesh = ? and w.member = ? and s.mesh = w.mesh and s.inbox = 'webhook:' || w.id
            """;

    private static final String BURY_DELIVERIES = """
            update tally.delivery
            set dead_at = now(), error = 'the member was removed'
            where mesh = ? and inbox = ? and done_at is null and dead_at is null
            """;

    private static final String MEMBERS = """
            select mesh, name, id, roles, created_at
            from tally.member
            where mesh = ?
            order by name
            """;

    private static final String MEMBER = """
            select mesh, name, id, roles, created_at
            from tally.member
            where mesh = ? and name = ?
            """;

    private static final String IDENTIFIED = """
            select mesh, name, id, roles, created_at
            from tally.member
            where mesh = ? and id = ?
            """;

    private static final String ISSUE = """
            insert into tally.token (id, mesh, member, hash, expires_at)
            select ?, m.mesh, m.name, ?, now() + ?::bigint * interval '1 millisecond'
            from tally.member m
            where m.mesh = ? and m.name = ?
            returning id, mesh, member, created_at, expires_at, revoked_at
            """;

    private static final String REVOKE = """
            update tally.token
            set revoked_at = coalesce(revoked_at, now())
            where id = ? and mesh = ?
            returning id, mesh, member, created_at, expires_at, revoked_at
            """;

    // Locked, so that of two concurrent rotations of one token only one gets a new token.
    private static final String TOKEN = """
            select id, mesh, member, created_at, expires_at, revoked_at
            from tally.token
            where id = ? and mesh = ?
            for update
            """;

    private static final String TOKENS = """
            select id, mesh, member, created_at, expires_at, revoked_at
            from tally.token
            where mesh = ? and member = ?
            order by created_at, id
            """;

    private static final String IS_ISSUED = """
            select exists (select from tally.token where id = ? and hash = ?)
            """;

    private static final String CREDENTIALS = """
            select t.hash, (extract(epoch from t.expires_at - clock_timestamp()) * 1000)::bigint as left_millis,
                m.mesh, m.name, m.id, m.roles
            from tally.token t
            join tally.member m on m.mesh = t.mesh and m.name = t.member
            where t.id = ? and t.revoked_at is null
            """;

    boolean createMesh(Tx tx, String name) throws SQLException {
        return tx.update(CREATE_MESH, name) == 1;
    }

    List<String> meshes(Tx tx) throws SQLException {
        return tx.query(MESHES, row -> row.getString("name"));
    }

    boolean createMember(Tx tx, Member member) throws SQLException {
        return tx.update(CREATE_MEMBER, member.mesh(), member.name(), words(member.roles())) == 1;
    }

    boolean changeRoles(Tx tx, Member member) throws SQLException {
        return tx.update(CHANGE_ROLES, words(member.roles()), member.mesh(), member.name()) == 1;
    }

    /** Locks the member before its removal, so that it gets nothing new, and returns its ID; empty if there is none. */
    Optional<String> lockMember(Tx tx, String mesh, String name) throws SQLException {
        return tx.first(LOCK_MEMBER, row -> row.getString("id"), mesh, name);
    }

    boolean removeMember(Tx tx, String mesh, String name) throws SQLException {
        return tx.update(REMOVE_MEMBER, mesh, name) == 1;
    }

    void removeSubscriptions(Tx tx, String mesh, Inbox inbox) throws SQLException {
        tx.update(REMOVE_SUBSCRIPTIONS, mesh, inbox.toString());
    }

    /** The IDs of the member's webhooks. */
    List<String> webhooks(Tx tx, String mesh, String member) throws SQLException {
        return tx.query(WEBHOOKS, row -> row.getString("id"), mesh, member);
    }

    /** Removes the subscriptions of the member's webhooks, which go with it. */
    void removeWebhookSubscriptions(Tx tx, String mesh, String member) throws SQLException {
        tx.update(REMOVE_WEBHOOK_SUBSCRIPTIONS, mesh, member);
    }

    void buryDeliveries(Tx tx, String mesh, Inbox inbox) throws SQLException {
        tx.update(BURY_DELIVERIES, mesh, inbox.toString());
    }

    List<MemberInfo> members(Tx tx, String mesh) throws SQLException {
        return tx.query(MEMBERS, MemberStore::memberInfo, mesh);
    }

    Optional<MemberInfo> member(Tx tx, String mesh, String name) throws SQLException {
        return tx.first(MEMBER, MemberStore::memberInfo, mesh, name);
    }

    /** The member with this ID, as opposed to earlier members of the same name. */
    Optional<MemberInfo> identified(Tx tx, String mesh, String id) throws SQLException {
        return tx.first(IDENTIFIED, MemberStore::memberInfo, mesh, id);
    }

    /** Empty if there is no such member. */
    Optional<TokenInfo> issue(Tx tx, Token token, String mesh, String member, @Nullable Duration validity)
            throws SQLException {
        return tx.first(
                ISSUE,
                MemberStore::tokenInfo,
                token.id(),
                token.hash(),
                validity == null ? null : validity.toMillis(),
                mesh,
                member);
    }

    Optional<TokenInfo> revoke(Tx tx, String mesh, String id) throws SQLException {
        return tx.first(REVOKE, MemberStore::tokenInfo, id, mesh);
    }

    Optional<TokenInfo> token(Tx tx, String mesh, String id) throws SQLException {
        return tx.first(TOKEN, MemberStore::tokenInfo, id, mesh);
    }

    List<TokenInfo> tokens(Tx tx, String mesh, String member) throws SQLException {
        return tx.query(TOKENS, MemberStore::tokenInfo, mesh, member);
    }

    boolean isIssued(Tx tx, Token token) throws SQLException {
        return tx.first(IS_ISSUED, row -> row.getBoolean(1), token.id(), token.hash())
                .orElseThrow();
    }

    Optional<Credentials> credentials(Tx tx, String tokenId) throws SQLException {
        return tx.first(
                CREDENTIALS,
                row -> {
                    Long left = row.getObject("left_millis", Long.class);
                    return new Credentials(
                            row.getBytes("hash"), left == null ? null : Duration.ofMillis(left), readMember(row));
                },
                tokenId);
    }

    private static MemberInfo memberInfo(ResultSet row) throws SQLException {
        return new MemberInfo(readMember(row), Objects.requireNonNull(Tx.instant(row, "created_at")));
    }

    private static Member readMember(ResultSet row) throws SQLException {
        return new Member(row.getString("mesh"), row.getString("name"), row.getString("id"), roles(row));
    }

    public static Set<Role> roles(ResultSet row) throws SQLException {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String word : (String[]) row.getArray("roles").getArray()) {
            roles.add(Role.parse(word));
        }
        return roles;
    }

    private static TokenInfo tokenInfo(ResultSet row) throws SQLException {
        return new TokenInfo(
                row.getString("id"),
                row.getString("mesh"),
                row.getString("member"),
                Objects.requireNonNull(Tx.instant(row, "created_at")),
                Tx.instant(row, "expires_at"),
                Tx.instant(row, "revoked_at"));
    }

    private static String[] words(Set<Role> roles) {
        return roles.stream().sorted().map(Role::word).toArray(String[]::new);
    }
}
