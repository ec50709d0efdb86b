package dev.tallystick.server.http;

import dev.tallystick.core.ProblemCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;

/** All routes, and how to find the one for a request. */
public final class RouteTable {

    private final List<Route> routes;
    private final Map<Integer, List<Route>> byLength = new HashMap<>();

    public RouteTable(List<Route> routes) {
        this.routes = List.copyOf(routes);
        Set<String> seen = new HashSet<>();
        for (Route route : routes) {
            if (!seen.add(route.method() + " " + route.path().text().replaceAll("\\{[^}]*}", "{}"))) {
                throw new IllegalArgumentException("there are two routes for " + route);
            }
            byLength.computeIfAbsent(route.path().segments().size(), length -> new ArrayList<>())
                    .add(route);
        }
    }

    public List<Route> routes() {
        return routes;
    }

    /** The route for a path as it was sent, if there is one. */
    Optional<Route> routeOf(String method, String path) {
        try {
            return Optional.of(find(method, path).route());
        } catch (Problem none) {
            return Optional.empty();
        }
    }

    /** A route and the values of the path's names, still encoded. */
    record Found(Route route, SequencedMap<String, String> names) {}

    /**
     * The route for a path as it was sent.
     *
     * @throws Problem if there is none, or none for this method
     */
    Found find(String method, String path) {
        if (!path.startsWith("/")) {
            throw Call.notFound();
        }
        List<String> segments = PathTemplate.split(path);
        Set<String> others = new TreeSet<>();
        for (Route route : byLength.getOrDefault(segments.size(), List.of())) {
            Optional<SequencedMap<String, String>> names = route.path().match(segments);
            if (names.isPresent()) {
                if (route.method().equals(method)) {
                    return new Found(route, names.get());
                }
                others.add(route.method());
            }
        }
        if (others.isEmpty()) {
            throw Call.notFound();
        }
        String allowed = String.join(", ", others);
        throw new Problem(ProblemCode.METHOD_NOT_ALLOWED, "this path takes " + allowed).withHeader("Allow", allowed);
    }
}
