package dev.tallystick.server.http;

import dev.tallystick.core.api.Paged;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The header {@code Link} (RFC 8288) of a page, which leads to the next one. */
final class PageLink {

    static final String HEADER = "Link";

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

    private PageLink() {}
}
