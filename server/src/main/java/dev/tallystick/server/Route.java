package dev.tallystick.server;

import dev.tallystick.broker.Role;
import dev.tallystick.core.ProblemCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * One row of the route table: all that is said about an endpoint is said here, and everything else is derived from it.
 *
 * @param request the record that the body is read into; null for none
 * @param response the record of a success; null for a stream, a text or nothing
 * @param statuses of a success, the usual one first
 * @param query the parameters that it knows, and what they mean
 * @param keyed whether it wants an {@code Idempotency-Key}
 * @param problems the codes that are its own, beyond those that any request can get
 */
record Route(
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

    /** What a route does. */
    @FunctionalInterface
    interface Action<I extends @Nullable Record> {
        Answer answer(Call call, I request) throws InterruptedException;
    }

    /** What a route without a body does. */
    @FunctionalInterface
    interface Question {
        Answer answer(Call call) throws InterruptedException;
    }

    /** The parameter of listings that come page by page. */
    static final String LIMIT = "limit";

    static Route get(String path, Question question) {
        return of("GET", path, null, (call, none) -> question.answer(call));
    }

    static Route delete(String path, Question question) {
        return of("DELETE", path, null, (call, none) -> question.answer(call)).statuses(204);
    }

    /** A command that needs nothing but its path. */
    static Route post(String path, Question question) {
        return of("POST", path, null, (call, none) -> question.answer(call));
    }

    @SuppressWarnings("unchecked") // the body is read into this very class
    static <I extends Record> Route post(String path, Class<I> request, Action<I> action) {
        return of("POST", path, request, (call, body) -> action.answer(call, (I) Objects.requireNonNull(body)));
    }

    @SuppressWarnings("unchecked") // the body is read into this very class
    static <I extends Record> Route put(String path, Class<I> request, Action<I> action) {
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

    Route summary(String sentence) {
        return new Route(method, path, access, sentence, request, response, statuses, query, keyed, problems, action);
    }

    Route open() {
        return access(Access.everybody());
    }

    Route roles(Role... roles) {
        return access(Access.members(roles));
    }

    Route access(Access other) {
        return new Route(method, path, other, summary, request, response, statuses, query, keyed, problems, action);
    }

    Route answers(Class<? extends Record> record) {
        return new Route(method, path, access, summary, request, record, statuses, query, keyed, problems, action);
    }

    Route statuses(Integer... numbers) {
        return new Route(
                method, path, access, summary, request, response, List.of(numbers), query, keyed, problems, action);
    }

    Route query(String name, String meaning) {
        SequencedMap<String, String> more = new LinkedHashMap<>(query);
        more.put(name, meaning);
        return new Route(method, path, access, summary, request, response, statuses, more, keyed, problems, action);
    }

    /** A listing that comes page by page. */
    Route limit(int usual, int most) {
        return query(LIMIT, "how many, " + usual + " if missing, at most " + most);
    }

    Route underKey() {
        return new Route(method, path, access, summary, request, response, statuses, query, true, problems, action)
                .refuses(ProblemCode.IDEMPOTENCY_KEY_MISSING, ProblemCode.IDEMPOTENCY_KEY_REFUSED);
    }

    Route refuses(ProblemCode... codes) {
        List<ProblemCode> more = new ArrayList<>(problems);
        more.addAll(List.of(codes));
        return new Route(method, path, access, summary, request, response, statuses, query, keyed, more, action);
    }

    /** Whether a request may have this in its query. A declared {@code name.*} stands for whatever begins with {@code name.}. */
    boolean knows(String parameter) {
        int dot = parameter.indexOf('.');
        return query.containsKey(parameter) || (dot > 0 && query.containsKey(parameter.substring(0, dot) + ".*"));
    }

    @Override
    public String toString() {
        return method + " " + path.text();
    }
}
