package dev.tallystick.server.http;

import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * One row of the route table: it declares everything about an endpoint, and everything else is derived from it.
 *
 * @param request the record of the body; null for none
 * @param response the record of a success; null for a stream, a text or nothing
 * @param statuses of a success, the usual one first
 * @param query its parameters, and their meaning
 * @param keyed whether it requires an {@code Idempotency-Key}
 * @param problems its own codes, beyond those that any request can get
 */
public record Route(
        String method,
        PathTemplate path,
        Access access,
        String summary,
        @Nullable Class<? extends Record> request,
        @Nullable Class<? extends Record> response,
        List<Integer> statuses,
        SequencedMap<String, String> query,
        boolean keyed,
        List<ProblemCode> problems,
        Action<@Nullable Record> action) {

    /** The action of a route. */
    @FunctionalInterface
    public interface Action<I extends @Nullable Record> {
        Answer answer(Call call, I request) throws InterruptedException;
    }

    /** The action of a route without a body. */
    @FunctionalInterface
    public interface Question {
        Answer answer(Call call) throws InterruptedException;
    }

    /** The parameter of paged lists. */
    static final String LIMIT = "limit";

    public static Route get(String path, Question question) {
        return of("GET", path, null, (call, none) -> question.answer(call));
    }

    public static Route delete(String path, Question question) {
        return of("DELETE", path, null, (call, none) -> question.answer(call)).statuses(204);
    }

    /** A command that needs only its path. */
    public static Route post(String path, Question question) {
        return of("POST", path, null, (call, none) -> question.answer(call));
    }

    @SuppressWarnings("unchecked") // the body is read into this very class
    public static <I extends Record> Route post(String path, Class<I> request, Action<I> action) {
        return of("POST", path, request, (call, body) -> action.answer(call, (I) Objects.requireNonNull(body)));
    }

    @SuppressWarnings("unchecked") // the body is read into this very class
    public static <I extends Record> Route put(String path, Class<I> request, Action<I> action) {
        return of("PUT", path, request, (call, body) -> action.answer(call, (I) Objects.requireNonNull(body)));
    }

    private static Route of(
            String method, String path, @Nullable Class<? extends Record> request, Action<@Nullable Record> action) {
        return new Route(
                method,
                PathTemplate.of(path),
                Access.operators(),
                "",
                request,
                null,
                List.of(200),
                new LinkedHashMap<>(),
                false,
                List.of(),
                action);
    }

    public Route summary(String sentence) {
        return new Route(method, path, access, sentence, request, response, statuses, query, keyed, problems, action);
    }

    public Route open() {
        return access(Access.everybody());
    }

    public Route roles(Role... roles) {
        return access(Access.members(roles));
    }

    public Route access(Access other) {
        return new Route(method, path, other, summary, request, response, statuses, query, keyed, problems, action);
    }

    public Route answers(Class<? extends Record> record) {
        return new Route(method, path, access, summary, request, record, statuses, query, keyed, problems, action);
    }

    public Route statuses(Integer... numbers) {
        return new Route(
                method, path, access, summary, request, response, List.of(numbers), query, keyed, problems, action);
    }

    public Route query(String name, String meaning) {
        SequencedMap<String, String> more = new LinkedHashMap<>(query);
        more.put(name, meaning);
        return new Route(method, path, access, summary, request, response, statuses, more, keyed, problems, action);
    }

    /** A paged list. */
    public Route limit(int usual, int most) {
        return query(LIMIT, "how many, " + usual + " if missing, at most " + most);
    }

    public Route underKey() {
        return new Route(method, path, access, summary, request, response, statuses, query, true, problems, action)
                .refuses(ProblemCode.IDEMPOTENCY_KEY_MISSING, ProblemCode.IDEMPOTENCY_KEY_REFUSED);
    }

    public Route refuses(ProblemCode... codes) {
        List<ProblemCode> more = new ArrayList<>(problems);
        more.addAll(List.of(codes));
        return new Route(method, path, access, summary, request, response, statuses, query, keyed, more, action);
    }

    /** Whether a request may have this query parameter. A declared {@code name.*} allows every {@code name.…}. */
    boolean knows(String parameter) {
        int dot = parameter.indexOf('.');
        return query.containsKey(parameter) || (dot > 0 && query.containsKey(parameter.substring(0, dot) + ".*"));
    }

    @Override
    public String toString() {
        return method + " " + path.text();
    }
}
