package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.Reply;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Json;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.MemberApi.MemberView;
import dev.tallystick.core.api.MemberApi.TokenIssued;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Members, their tokens and meshes through the Java SDK. */
@Timeout(120)
class ClientMemberTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;
    private static TallyClient admin;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        admin = with(server.admin().token());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static TallyClient with(String token) {
        return new TallyClient(server.server().address(), token);
    }

    private static boolean isWorthNothing(TokenIssued token) {
        try {
            with(token.token()).members().me();
            return false;
        } catch (RefusedException e) {
            return e.code().equals("unauthenticated");
        }
    }

    @Test
    void a_member_is_made_changed_and_removed() {
        MemberView made = admin.members().put("ann", Role.MEMBER);
        MemberView changed = admin.members().put("ann", Role.WORKER, Role.OBSERVER);

        assertThat(made.roles()).containsExactly(Role.MEMBER);
        assertThat(changed.roles()).containsExactlyInAnyOrder(Role.WORKER, Role.OBSERVER);
        assertThat(admin.members().find("ann").createdAt()).isNotNull();
        assertThat(admin.members().list()).extracting(MemberView::name).contains("admin", "ann");
        TokenIssued token = admin.tokens().issue("ann", null);
        assertThat(with(token.token()).members().me()).isEqualTo(changed);

        admin.members().remove("ann");
        assertThatThrownBy(() -> admin.members().find("ann")).isInstanceOf(RefusedException.class);
        Eventually.holds("its token is worth nothing", () -> isWorthNothing(token));
    }

    @Test
    void a_token_is_issued_rotated_and_revoked() {
        admin.members().put("ben", Role.MEMBER);
        TokenIssued first = admin.tokens().issue("ben", Duration.ofHours(1));
        TokenIssued second = admin.tokens().rotate(first.id(), null);

        assertThat(first.expiresAt()).isNotNull();
        assertThat(first.toString()).doesNotContain(first.token());
        assertThat(second.member()).isEqualTo("ben");
        Eventually.holds("the first is worth nothing", () -> isWorthNothing(first));
        assertThat(with(second.token()).members().me().name()).isEqualTo("ben");

        admin.tokens().revoke(second.id());
        Eventually.holds("the second is worth nothing", () -> isWorthNothing(second));
        assertThat(admin.tokens().list("ben"))
                .hasSize(2)
                .allSatisfy(token -> assertThat(token.revokedAt()).isNotNull());
    }

    @Test
    void a_mesh_has_an_admin_of_its_own() {
        admin.meshes().create("partners");
        TokenIssued token = admin.meshes().adminToken("partners", Duration.ofHours(1));

        assertThat(admin.meshes().list()).contains("default", "partners");
        assertThat(with(token.token()).members().me().mesh()).isEqualTo("partners");
    }

    @Test
    void a_server_says_what_it_can_do_and_whether_all_is_well() {
        assertThat(admin.features().features()).contains("jobs", "messages", "keys");
        assertThat(admin.orphans().total()).isZero();
    }

    @Test
    void whoever_wants_it_hears_what_the_server_answered_as_it_came() {
        List<Reply> heard = new ArrayList<>();
        TallyClient told = admin.withReplies(heard::add);

        told.topics().create("orders");
        assertThatThrownBy(() -> told.members().find("unknown")).isInstanceOf(RefusedException.class);
        told.members().me();
        admin.members().me();

        assertThat(heard).extracting(Reply::status).containsExactly(201, 200);
        assertThat(heard.getLast().body().members()).containsEntry("name", Json.of("admin"));
    }

    static Stream<Named<Consumer<TallyClient>>> thatWouldHappenTwice() {
        return Stream.of(
                Named.of("issue", client -> client.tokens().issue("ann", null)),
                Named.of("rotate", client -> client.tokens().rotate("0123", null)),
                Named.of("admin-token", client -> client.meshes().adminToken("partners", null)),
                Named.of(
                        "webhook",
                        client -> client.webhooks()
                                .register(Destination.parse("topic:orders"), URI.create("https://shop.example/"))));
    }

    @ParameterizedTest
    @MethodSource("thatWouldHappenTwice")
    void what_would_happen_twice_is_not_sent_again_after_a_lost_answer(Consumer<TallyClient> call) throws Exception {
        try (ScriptedServer scripted =
                new ScriptedServer(ScriptedServer.refuse(503, "busy"), ScriptedServer.hangUp())) {
            TallyClient client = new TallyClient(scripted.address(), "t");

            assertThatThrownBy(() -> call.accept(client))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("look, before you ask for another one");
            assertThat(scripted.paths()).hasSize(2);
        }
    }
}
