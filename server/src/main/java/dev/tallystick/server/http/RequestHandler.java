package dev.tallystick.server.http;

import dev.tallystick.broker.member.Token;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.api.RecordBinding;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.SocketWriterException;
import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.HttpException;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes a request through its route: find it, authenticate, check the role, read the body, act, answer. In this order, so that
 * a refusal reveals nothing the caller may not know, and no body is read for a caller that may not ask. Thread-safe.
 */
public final class RequestHandler implements Handler {

    private static final HeaderName IDEMPOTENCY_KEY = HeaderNames.create("Idempotency-Key");
    private static final Header MARK = HeaderValues.createCached(Answer.MARK, Answer.API);
    private static final HeaderName LAST_EVENT_ID = HeaderNames.create("Last-Event-ID");
    private static final HeaderName TRACE_PARENT = HeaderNames.create("traceparent");
    private static final String BEARER = "Bearer ";
    private static final int CHUNK = 8 * 1024;

    private final RouteTable table;
    private final Function<Token, Optional<Member>> members;
    private final Limits limits;
    private final RequestsInProgress requestsInProgress;
    private final Connections connections;
    private final Meters meters;
    private final Failures failures;

    public RequestHandler(
            RouteTable table,
            Function<Token, Optional<Member>> members,
            Limits limits,
            Connections connections,
            Meters meters,
            Failures failures) {
        this.table = table;
        this.members = members;
        this.limits = limits;
        this.requestsInProgress = new RequestsInProgress(limits);
        this.connections = connections;
        this.meters = meters;
        this.failures = failures;
    }

    @Override
    public void handle(ServerRequest request, ServerResponse response) throws IOException {
        long begin = System.nanoTime();
        Connections.Connection connection = connections.of(request.remotePeer().address());
        connection.receives();
        response.header(MARK);
        Route route = null;
        RequestsInProgress.Place place = RequestsInProgress.NONE;
        int status;
        try {
            RouteTable.Found found = table.find(method(request), path(request));
            route = found.route();
            Member caller = admit(route.access(), request);
            place = requestsInProgress.begin(caller);
            if (caller != null) {
                connection.admitted();
            }
            Answer answer = answer(found, caller, request, connection);
            connection.answers();
            status = send(answer, request, response, connection);
        } catch (InterruptedException e) {
            connection.answers();
            // Do not restore the interrupt flag: the next write would close the connection.
            status = send(stopping(), request, response);
        } catch (RequestException | HttpException | CloseConnectionException e) {
            // The web server's own: it knows what to answer, or that the client has disconnected.
            throw e;
        } catch (UncheckedIOException | SocketWriterException | DataReader.InsufficientDataAvailableException e) {
            throw new CloseConnectionException("the client is gone", e);
        } catch (RuntimeException e) {
            connection.answers();
            status = send(failures.problem(e, method(request), path(request)), request, response);
        } catch (Error e) {
            // Answered here: the web server would report an error of its own as the request's fault.
            connection.answers();
            status = send(failures.internal(e, method(request), path(request)), request, response);
        } finally {
            place.close();
        }
        if (isLast(request, response)) {
            connection.takesNoMore(isReadToItsEnd(request));
        }
        connection.awaitsRequest();
        meters.answered(route, status, System.nanoTime() - begin);
    }

    private static boolean isLast(ServerRequest request, ServerResponse response) {
        return request.headers().containsToken(HeaderValues.CONNECTION_CLOSE)
                || response.headers().containsToken(HeaderValues.CONNECTION_CLOSE);
    }

    private static boolean isReadToItsEnd(ServerRequest request) {
        return !request.content().hasEntity() || request.content().consumed();
    }

    private Answer answer(
            RouteTable.Found found, @Nullable Member caller, ServerRequest request, Connections.Connection connection)
            throws InterruptedException {
        Route route = found.route();
        Map<String, String> names = new HashMap<>();
        found.names().forEach((name, encoded) -> names.put(name, Call.decode(encoded)));
        byte[] body = readBody(route, request);
        connection.works();
        Call call = new Call(
                caller,
                () -> admit(route.access(), request),
                names,
                query(route, request.prologue().query().rawValue()),
                key(request),
                header(request, LAST_EVENT_ID),
                header(request, TRACE_PARENT),
                body);
        if (route.keyed() && call.idempotencyKey() != null) {
            call.key();
        }
        Record read = record(route, body);
        Answer answer =
                AdministrativeActs.recorded(route, call, () -> route.action().answer(call, read));
        return PageLink.linked(answer, route.path().text(), call.query());
    }

    private @Nullable Member admit(Access access, ServerRequest request) {
        return switch (access) {
            case Access.Everybody everybody -> null;
            case Access.Members some -> {
                Member member = authenticate(request);
                if (!some.includes(member)) {
                    throw new Problem(ProblemCode.FORBIDDEN, "this needs the role " + some);
                }
                yield member;
            }
            case Access.Operators operators -> {
                Member member = authenticate(request);
                if (!operators.includes(member)) {
                    throw new Problem(ProblemCode.FORBIDDEN, "this needs the role " + operators);
                }
                yield member;
            }
        };
    }

    /** A missing, wrong, expired or revoked token all look the same from outside. */
    private Member authenticate(ServerRequest request) {
        String header = header(request, HeaderNames.AUTHORIZATION);
        return Optional.ofNullable(header)
                .filter(text -> text.regionMatches(true, 0, BEARER, 0, BEARER.length()))
                .flatMap(text -> Token.parse(text.substring(BEARER.length()).strip()))
                .flatMap(members)
                .orElseThrow(() -> new Problem(
                                ProblemCode.UNAUTHENTICATED,
                                "send the header Authorization: Bearer TOKEN with a valid token")
                        .withHeader("WWW-Authenticate", "Bearer"));
    }

    private static Map<String, String> query(Route route, @Nullable String raw) {
        Map<String, String> query = new HashMap<>();
        if (raw == null || raw.isEmpty()) {
            return query;
        }
        for (String pair : raw.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = Call.decode(equals < 0 ? pair : pair.substring(0, equals));
            if (!route.knows(name)) {
                throw new Problem(
                        ProblemCode.UNKNOWN_PARAMETER,
                        "this route knows " + String.join(", ", route.query().keySet()));
            }
            if (query.put(name, equals < 0 ? "" : Call.decode(pair.substring(equals + 1))) != null) {
                throw new Problem(ProblemCode.MALFORMED_REQUEST, name + " comes twice");
            }
        }
        return query;
    }

    private @Nullable Record record(Route route, byte[] body) {
        if (route.request() == null) {
            return null;
        }
        return (Record) RecordBinding.of(route.request()).read(parse(body));
    }

    private Json parse(byte[] body) {
        if (body.length == 0) {
            throw new Problem(ProblemCode.MALFORMED_JSON, "the body is empty; expected a JSON object");
        }
        return Json.parse(body, Limits.JSON);
    }

    private byte[] readBody(Route route, ServerRequest request) {
        if (!request.content().hasEntity()) {
            return new byte[0];
        }
        if (route.request() == null) {
            throw new Problem(ProblemCode.MALFORMED_REQUEST, "this route takes no body: send the request without one");
        }
        request.headers().first(HeaderNames.CONTENT_ENCODING).ifPresent(encoding -> {
            throw new Problem(ProblemCode.UNSUPPORTED_MEDIA_TYPE, "send the body as it is, not in " + encoding);
        });
        request.headers().first(HeaderNames.CONTENT_TYPE).ifPresent(type -> {
            if (!type.toLowerCase(Locale.ROOT).startsWith(Answer.JSON)) {
                throw new Problem(ProblemCode.UNSUPPORTED_MEDIA_TYPE, "send the body as " + Answer.JSON);
            }
        });
        if (request.headers().contentLength().orElse(0) > Limits.BODY) {
            throw tooLarge();
        }
        try {
            // Not closed: that would read the rest of a body in which the web server cannot find an end.
            return readWithin(request.content().inputStream());
        } catch (RequestException e) {
            throw e.status().code() == ProblemCode.PAYLOAD_TOO_LARGE.status() ? tooLarge() : malformedChunks();
        } catch (NumberFormatException e) {
            throw malformedChunks();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a limited number of bytes in a limited time, whatever the sender announced and however slowly it sends. */
    private byte[] readWithin(InputStream in) throws IOException {
        long deadline = System.nanoTime() + limits.arrival().toNanos();
        byte[] buffer = new byte[CHUNK];
        int length = 0;
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer, length, buffer.length - length)) {
            length += read;
            if (length > Limits.BODY) {
                throw tooLarge();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new Problem(
                        ProblemCode.REQUEST_TIMEOUT,
                        "a body arrives within " + limits.arrival().toSeconds() + " s");
            }
            if (length == buffer.length) {
                buffer = Arrays.copyOf(buffer, Math.min(4 * buffer.length, Limits.BODY + 1));
            }
        }
        return Arrays.copyOf(buffer, length);
    }

    private static Problem malformedChunks() {
        return new Problem(ProblemCode.MALFORMED_REQUEST, "the body does not come in well-formed chunks");
    }

    private Problem tooLarge() {
        return new Problem(ProblemCode.PAYLOAD_TOO_LARGE, "a body has at most " + Limits.BODY + " bytes");
    }

    private static String method(ServerRequest request) {
        return request.prologue().method().text();
    }

    private static String path(ServerRequest request) {
        return request.prologue().uriPath().rawPath();
    }

    private static @Nullable String header(ServerRequest request, HeaderName name) {
        return request.headers().first(name).orElse(null);
    }

    private static @Nullable String key(ServerRequest request) {
        String first = header(request, IDEMPOTENCY_KEY);
        for (String each : request.headers().values(IDEMPOTENCY_KEY)) {
            if (!isSameKey(each, first)) {
                throw new Problem(
                        ProblemCode.IDEMPOTENCY_KEY_REFUSED, "there are two headers Idempotency-Key that differ");
            }
        }
        return first;
    }

    /** Equal, or equal but for the quotes around one of them. */
    private static boolean isSameKey(String one, @Nullable String other) {
        try {
            return one.equals(other)
                    || (other != null && IdempotencyKey.ofHeader(one).equals(IdempotencyKey.ofHeader(other)));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static Problem stopping() {
        return new Problem(ProblemCode.STOPPING, "ask again, here or elsewhere").withHeader("Connection", "close");
    }

    private int send(Answer answer, ServerRequest request, ServerResponse response, Connections.Connection connection)
            throws IOException, InterruptedException {
        return switch (answer) {
            case Answer.Document document -> {
                document.headers().forEach(response::header);
                response.status(document.status());
                Record body = document.body();
                if (body == null) {
                    response.send();
                } else {
                    response.header(HeaderNames.CONTENT_TYPE, Answer.JSON);
                    response.send(Answer.json(body));
                }
                yield document.status();
            }
            case Answer.Text text -> {
                response.header(HeaderNames.CONTENT_TYPE, text.mediaType());
                response.send(text.text().getBytes(StandardCharsets.UTF_8));
                yield 200;
            }
            case Answer.Stream stream -> {
                response.header(HeaderNames.CONTENT_TYPE, stream.mediaType());
                response.header(HeaderNames.CACHE_CONTROL, "no-store");
                write(stream, connection.stream(response.outputStream()), request);
                yield 200;
            }
        };
    }

    /** A stream that has begun cannot become a problem document; the reader sees that its end is missing. */
    private void write(Answer.Stream stream, OutputStream out, ServerRequest request)
            throws IOException, InterruptedException {
        try {
            stream.writer().write(out);
        } catch (RequestException | HttpException | CloseConnectionException e) {
            throw e;
        } catch (UncheckedIOException | SocketWriterException e) {
            throw new CloseConnectionException("the client is gone", e);
        } catch (RuntimeException | Error e) {
            failures.internal(e, method(request), path(request));
            throw new CloseConnectionException("the stream breaks off", e);
        }
        out.close();
    }

    private static int send(Problem problem, ServerRequest request, ServerResponse response) {
        if (response.isSent()) {
            return problem.code().status();
        }
        problem.headers().forEach(response::header);
        // The rest of a body is not worth reading.
        if (!isReadToItsEnd(request)) {
            response.header(HeaderNames.CONNECTION, "close");
        }
        response.status(problem.code().status());
        response.header(HeaderNames.CONTENT_TYPE, Problem.MEDIA_TYPE);
        response.send(problem.document().getBytes(StandardCharsets.UTF_8));
        return problem.code().status();
    }
}
