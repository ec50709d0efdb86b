package dev.tallystick.server.routes;

import dev.tallystick.broker.member.IssuedToken;
import dev.tallystick.broker.member.MemberInfo;
import dev.tallystick.broker.member.Members;
import dev.tallystick.broker.member.Stock;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.DirectoryApi.Nothing;
import dev.tallystick.core.api.MemberApi.IssueToken;
import dev.tallystick.core.api.MemberApi.MemberList;
import dev.tallystick.core.api.MemberApi.MemberView;
import dev.tallystick.core.api.MemberApi.MeshList;
import dev.tallystick.core.api.MemberApi.MeshView;
import dev.tallystick.core.api.MemberApi.PutMember;
import dev.tallystick.core.api.MemberApi.TokenIssued;
import dev.tallystick.core.api.MemberApi.TokenList;
import dev.tallystick.core.api.MemberApi.TokenView;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.sql.Also;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Members with their roles and tokens, and meshes. */
public final class MemberRoutes {

    /** The admin that is created with a mesh. */
    public static final String ADMIN = "admin";

    private final Members members;
    private final Stock stock;
    private final SealedActs acts;

    public MemberRoutes(Members members, Stock stock, SealedActs acts) {
        this.members = members;
        this.stock = stock;
        this.acts = acts;
    }

    public List<Route> routes() {
        String member = "/v1/members/{name}";
        return List.of(
                Route.get("/v1/me", call -> Answer.ok(view(call.member(), null)))
                        .summary("Who you are.")
                        .roles(Role.values())
                        .answers(MemberView.class),
                Route.get("/v1/members", this::list)
                        .summary("The members of the mesh.")
                        .roles(Role.ADMIN, Role.OBSERVER)
                        .answers(MemberList.class),
                Route.get(member, call -> Answer.ok(view(member(call))))
                        .summary("A member.")
                        .roles(Role.ADMIN, Role.OBSERVER)
                        .answers(MemberView.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.put(member, PutMember.class, this::put)
                        .summary("Create a member, or change its roles.")
                        .roles(Role.ADMIN)
                        .answers(MemberView.class)
                        .statuses(201, 200)
                        .refuses(ProblemCode.TOO_MANY),
                Route.delete(member, this::remove)
                        .summary("End a membership, with all its tokens.")
                        .roles(Role.ADMIN)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get(member + "/tokens", this::tokens)
                        .summary("The tokens of a member, without their secrets.")
                        .roles(Role.ADMIN)
                        .answers(TokenList.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.post(member + "/tokens", IssueToken.class, this::issue)
                        .summary("Issue a token. Its secret is not kept: a repeat issues another one.")
                        .roles(Role.ADMIN)
                        .answers(TokenIssued.class)
                        .statuses(201)
                        .refuses(ProblemCode.NOT_FOUND, ProblemCode.TOO_MANY),
                Route.post("/v1/tokens/{id}/rotate", IssueToken.class, this::rotate)
                        .summary("A new token in place of this one, which is worth nothing from now on.")
                        .roles(Role.ADMIN)
                        .answers(TokenIssued.class)
                        .statuses(201)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.delete("/v1/tokens/{id}", this::revoke)
                        .summary("Revoke a token. It takes effect everywhere within 5 seconds.")
                        .roles(Role.ADMIN)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get("/v1/meshes", call -> Answer.ok(new MeshList(members.meshes())))
                        .summary("All meshes.")
                        .answers(MeshList.class),
                Route.put("/v1/meshes/{name}", Nothing.class, (call, none) -> createMesh(call))
                        .summary("Create a mesh.")
                        .answers(MeshView.class)
                        .statuses(201, 200),
                Route.post("/v1/meshes/{name}/admin-token", IssueToken.class, this::adminToken)
                        .summary("Issue a token for the admin of a mesh, who is created if missing.")
                        .answers(TokenIssued.class)
                        .statuses(201)
                        .refuses(ProblemCode.NOT_FOUND, ProblemCode.TOO_MANY));
    }

    private Answer list(Call call) {
        return Answer.ok(new MemberList(members.list(call.member().mesh()).stream()
                .map(MemberRoutes::view)
                .toList()));
    }

    private Answer put(Call call, PutMember wanted) {
        Set<Role> roles = roles(wanted.roles());
        Member member = Call.understood(() -> new Member(call.member().mesh(), name(call), roles));
        Map<String, String> given =
                Map.of("roles", roles.stream().map(Role::word).sorted().collect(Collectors.joining(",")));
        if (members.create(
                member,
                stock.roomForMember(member.mesh(), member.name()),
                acts.act(call, "create_member", "member:" + member.name(), given))) {
            return Answer.created(view(member, null));
        }
        members.changeRoles(
                member.mesh(),
                member.name(),
                member.roles(),
                acts.act(call, "change_roles", "member:" + member.name(), given));
        return Answer.ok(view(member, null));
    }

    private Answer remove(Call call) {
        if (!members.remove(call.member().mesh(), name(call), id -> acts.ending(call, "remove_member", "member", id))) {
            throw Call.notFound();
        }
        return Answer.nothing();
    }

    private Answer tokens(Call call) {
        MemberInfo member = member(call);
        return Answer.ok(new TokenList(
                members.tokens(member.member().mesh(), member.member().name()).stream()
                        .map(token -> new TokenView(
                                token.id(), token.member(), token.created(), token.expires(), token.revoked()))
                        .toList()));
    }

    private Answer issue(Call call, IssueToken wanted) {
        String mesh = call.member().mesh();
        return members.issue(
                        mesh,
                        name(call),
                        validity(wanted),
                        stock.roomForToken(mesh, name(call)),
                        token -> issued(call, mesh, name(call), token))
                .map(issued -> Answer.created(view(issued)))
                .orElseThrow(Call::notFound);
    }

    private Answer rotate(Call call, IssueToken wanted) {
        String id = call.name("id");
        return members.rotate(
                        call.member().mesh(), id, validity(wanted), acts.ending(call, "rotate_token", "token", id))
                .map(issued -> Answer.created(view(issued)))
                .orElseThrow(Call::notFound);
    }

    private Answer revoke(Call call) {
        String id = call.name("id");
        return members.revoke(call.member().mesh(), id, acts.ending(call, "revoke_token", "token", id))
                .map(revoked -> Answer.nothing())
                .orElseThrow(Call::notFound);
    }

    /** An admin of another mesh may issue it, as an operator. */
    private Also issued(Call call, String mesh, String member, String token) {
        return acts.act(mesh, call, "issue_token", "token:" + token, Map.of("member", member));
    }

    private Answer createMesh(Call call) {
        String name = name(call);
        boolean fresh = Call.understood(() -> members.createMesh(name));
        return Answer.of(fresh ? 201 : 200, new MeshView(name));
    }

    private Answer adminToken(Call call, IssueToken wanted) {
        String mesh = name(call);
        if (!members.meshes().contains(mesh)) {
            throw Call.notFound();
        }
        members.create(new Member(mesh, ADMIN, EnumSet.of(Role.ADMIN)));
        return members.issue(
                        mesh,
                        ADMIN,
                        validity(wanted),
                        stock.roomForToken(mesh, ADMIN),
                        token -> issued(call, mesh, ADMIN, token))
                .map(issued -> Answer.created(view(issued)))
                .orElseThrow(Call::notFound);
    }

    private MemberInfo member(Call call) {
        return members.find(call.member().mesh(), name(call)).orElseThrow(Call::notFound);
    }

    private static MemberView view(MemberInfo info) {
        return view(info.member(), info.created());
    }

    private static String name(Call call) {
        return call.name("name");
    }

    private static Set<Role> roles(List<String> words) {
        return Call.understood(() -> words.stream().map(Role::parse).collect(Collectors.toSet()));
    }

    private static @Nullable Duration validity(IssueToken wanted) {
        Integer seconds = wanted.validSeconds();
        if (seconds == null) {
            return null;
        }
        if (seconds < 1) {
            throw new Problem(ProblemCode.MALFORMED_REQUEST, "valid_seconds is at least 1");
        }
        return Duration.ofSeconds(seconds);
    }

    private static MemberView view(Member member, @Nullable Instant created) {
        return new MemberView(
                member.mesh(),
                member.name(),
                member.id(),
                member.roles().stream().sorted(Comparator.comparing(Role::word)).toList(),
                created);
    }

    private static TokenIssued view(IssuedToken issued) {
        return new TokenIssued(
                issued.info().id(),
                issued.info().member(),
                issued.token().reveal(),
                issued.info().expires());
    }
}
