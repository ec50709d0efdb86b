package dev.tallystick.broker.member;

import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.Role;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.SettableClock;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MembersTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private final SettableClock clock = SettableClock.at("2030-01-01T00:00:00Z");
    private final Database database = Database.on(postgres.dataSource());
    private final Members members = new Members(database, CompletionWatch.NONE, clock, RandomGenerator.getDefault());
    private final Members elsewhere = new Members(database, CompletionWatch.NONE, clock, RandomGenerator.getDefault());

    @Test
    void a_token_authenticates_the_member_it_was_issued_to() {
        Token token = issue(null);

        assertThat(members.authenticate(token)).contains(ALICE);
        assertThat(Token.parse(token.reveal()).flatMap(members::authenticate)).contains(ALICE);
    }

    @Test
    void a_token_with_the_right_id_and_another_secret_is_refused() {
        Token token = issue(null);
        Token other = issue(null);
        String forged = token.reveal().substring(0, 23) + other.reveal().substring(23);

        assertThat(Token.parse(forged).orElseThrow().id()).isEqualTo(token.id());
        assertThat(members.authenticate(Token.parse(forged).orElseThrow())).isEmpty();
        assertThat(members.authenticate(token)).contains(ALICE);
    }

    @Test
    void an_unknown_token_is_refused() {
        assertThat(members.authenticate(Token.mint(RandomGenerator.getDefault())))
                .isEmpty();
    }

    @Test
    void r28_how_long_a_token_is_good_is_for_the_clock_of_the_database_and_not_of_a_host() {
        Token token = issue(Duration.ofHours(1));
        assertThat(members.authenticate(token)).contains(ALICE);
        assertThat(expireIfWithin("2 hours")).isEqualTo(1);

        clock.advance(Members.BELIEVED);
        assertThat(members.authenticate(token)).isEmpty();
    }

    /** Expires the tokens that would have expired by then. */
    private int expireIfWithin(String interval) {
        return database.transact("let time pass", tx -> tx.update("""
                update tally.token
                set expires_at = now()
                where expires_at < now() + ?::interval
                """, interval));
    }

    @Test
    void a_token_is_valid_until_it_expires_even_if_it_is_cached() {
        Credentials remembered = new Credentials(new byte[32], Duration.ofSeconds(1), ALICE);

        assertThat(remembered.areGoodAfter(Duration.ofMillis(999))).isTrue();
        assertThat(remembered.areGoodAfter(Duration.ofSeconds(1))).isFalse();
    }

    @Test
    void a_revoked_token_is_refused_here_at_once_and_elsewhere_within_five_seconds() {
        Token token = issue(null);
        assertThat(elsewhere.authenticate(token)).contains(ALICE);

        assertThat(members.revoke(MESH, token.id(), Also.NOTHING)).isPresent();

        assertThat(members.authenticate(token)).isEmpty();
        clock.advance(Members.BELIEVED);
        assertThat(elsewhere.authenticate(token)).isEmpty();
        assertThat(Members.BELIEVED).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void a_token_is_revoked_in_its_own_mesh_only() {
        members.createMesh("other");
        Token token = issue(null);

        assertThat(members.revoke("other", token.id(), Also.NOTHING)).isEmpty();
        assertThat(members.rotate("other", token.id(), null, Also.NOTHING)).isEmpty();
        assertThat(members.authenticate(token)).contains(ALICE);
    }

    @Test
    void a_rotated_token_is_worth_nothing_and_its_successor_is() {
        Token old = issue(null);

        Token successor =
                members.rotate(MESH, old.id(), null, Also.NOTHING).orElseThrow().token();

        assertThat(members.authenticate(old)).isEmpty();
        assertThat(members.authenticate(successor)).contains(ALICE);
        assertThat(members.rotate(MESH, old.id(), null, Also.NOTHING)).isEmpty();
    }

    @Test
    void an_invalid_token_still_counts_as_issued() {
        Token expired = issue(Duration.ofHours(1));
        expireIfWithin("2 hours");
        Token revoked = issue(null);
        members.revoke(MESH, revoked.id(), Also.NOTHING);
        String forged = revoked.reveal().substring(0, 23) + expired.reveal().substring(23);

        assertThat(members.isIssued(expired)).isTrue();
        assertThat(members.isIssued(revoked)).isTrue();
        assertThat(members.isIssued(Token.parse(forged).orElseThrow())).isFalse();
        assertThat(members.isIssued(Token.mint(RandomGenerator.getDefault()))).isFalse();
    }

    @Test
    void the_tokens_of_a_member_end_with_it() {
        Token token = issue(null);

        assertThat(members.remove(MESH, "alice", id -> Also.NOTHING)).isTrue();

        assertThat(members.authenticate(token)).isEmpty();
        assertThat(members.issue(MESH, "alice", null)).isEmpty();
        assertThat(members.find(MESH, "alice")).isEmpty();
    }

    @Test
    void roles_are_as_they_were_changed() {
        Token token = issue(null);
        assertThat(members.authenticate(token)).contains(ALICE);

        members.changeRoles(MESH, "alice", Set.of(Role.ADMIN), Also.NOTHING);

        Member changed = members.authenticate(token).orElseThrow();
        assertThat(changed.roles()).containsExactly(Role.ADMIN);
        assertThat(changed.may(Role.WORKER)).isTrue();
        assertThat(ALICE.may(Role.WORKER)).isFalse();
    }

    @Test
    void a_member_that_gets_the_name_of_a_removed_one_is_another_member() {
        assertThat(members.find(MESH, "alice").orElseThrow().member().id()).isEqualTo("alice");
        members.remove(MESH, "alice", id -> Also.NOTHING);
        assertThat(members.create(ALICE)).isTrue();
        Member second = members.find(MESH, "alice").orElseThrow().member();

        assertThat(second.id()).isEqualTo("alice#2");
        assertThat(members.authenticate(issue(null))).contains(second);
        assertThat(maySubmit(ALICE)).isFalse();
        assertThat(maySubmit(second)).isTrue();

        members.remove(MESH, "alice", id -> Also.NOTHING);
        members.create(ALICE);
        assertThat(members.find(MESH, "alice").orElseThrow().member().id()).isEqualTo("alice#3");
    }

    private boolean maySubmit(Member member) {
        return database.transact("may submit", tx -> members.maySubmit(tx, member.scope()));
    }

    @Test
    void a_member_is_created_once_and_in_a_mesh_that_exists() {
        assertThat(members.create(ALICE)).isFalse();
        assertThat(members.create(new Member("nowhere", "carol", Set.of(Role.MEMBER))))
                .isFalse();
        assertThat(members.create(new Member(MESH, "carol", Set.of(Role.WORKER, Role.OBSERVER))))
                .isTrue();
        assertThat(members.list(MESH))
                .extracting(info -> info.member().name())
                .containsExactly("alice", "bob", "carol");
        assertThat(members.createMesh(MESH)).isFalse();
        assertThat(members.meshes()).containsExactly(MESH);
    }

    @Test
    void the_database_does_not_have_the_secret() {
        Token token = issue(null);
        String secret = token.reveal().substring(23);

        List<String> rows = database.transact(
                "read tokens",
                tx -> tx.query("select t::text as all_of_it from tally.token t", row -> row.getString(1)));

        assertThat(rows)
                .hasSize(1)
                .allSatisfy(row -> assertThat(row).contains(token.id()).doesNotContain(secret));
        assertThat(token.toString()).doesNotContain(secret);
    }

    @Test
    void tokens_have_256_bits_and_do_not_come_twice() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            Token token = Token.mint(RandomGenerator.getDefault());
            assertThat(token.reveal()).matches("tally_[0-9a-f]{16}_[A-Za-z0-9_-]{43}");
            assertThat(seen.add(token.reveal())).isTrue();
        }
    }

    @Test
    void names_need_no_quoting() {
        for (String name : List.of("", "-x", "a/b", "a b", "ä", "x".repeat(129), "a\u0000")) {
            assertThatThrownBy(() -> new Member(MESH, name, Set.of())).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private Token issue(@Nullable Duration validity) {
        return members.issue(MESH, "alice", validity).orElseThrow().token();
    }
}
