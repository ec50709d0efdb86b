package dev.tallystick.server.http;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A page of a list. If there is another, the answer has a header {@code Link} (RFC 8288) that leads to it. */
public interface Paged {

    String HEADER = "Link";

    /** Where the next page begins; null on the last one. */
    @Nullable
    Object next();

    /** The parameter for it. */
    default String parameter() {
        return "after";
    }

    /**
     * With a link to the next page, if there is one.
     *
     * @param query of this page, decoded: it is encoded again, because not everything that can be sent fits into a header
     */
    static Answer linked(Answer answer, String path, Map<String, String> query) {
        return answer instanceof Answer.Document document
                        && document.body() instanceof Paged page
                        && page.next() != null
                ? document.header(HEADER, "<" + path + "?" + queryOfNext(page, query) + ">; rel=\"next\"")
                : answer;
    }

    private static String queryOfNext(Paged page, Map<String, String> query) {
        SortedMap<String, String> next = new TreeMap<>(query);
        next.put(page.parameter(), String.valueOf(page.next()));
        return next.entrySet().stream()
                .map(pair -> encoded(pair.getKey()) + "=" + encoded(pair.getValue()))
                .collect(Collectors.joining("&"));
    }

    /** In our queries a plus is a plus. */
    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
