package dev.tallystick.server;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of a listing. If there is another, the answer has a header {@code Link} (RFC 8288) that leads to it. */
interface Paged {

    String HEADER = "Link";

    /** Where the next page begins; null on the last one. */
    @Nullable
    Object next();

    /** The parameter that takes it. */
    default String parameter() {
        return "after";
    }

    /**
     * With the way to the next page, if it has one.
     *
     * @param path of the request, and its query, as they were sent
     */
    static Answer linked(Answer answer, String path, @Nullable String query) {
        return answer instanceof Answer.Document document
                        && document.body() instanceof Paged page
                        && page.next() != null
                ? document.header(HEADER, "<" + path + "?" + queryOfNext(page, query) + ">; rel=\"next\"")
                : answer;
    }

    private static String queryOfNext(Paged page, @Nullable String query) {
        List<String> pairs = new ArrayList<>();
        for (String pair : query == null || query.isEmpty() ? new String[0] : query.split("&", -1)) {
            if (!pair.startsWith(page.parameter() + "=")) {
                pairs.add(pair);
            }
        }
        String next = URLEncoder.encode(String.valueOf(page.next()), StandardCharsets.UTF_8);
        // In a query of ours a plus is a plus.
        pairs.add(page.parameter() + "=" + next.replace("+", "%20"));
        return String.join("&", pairs);
    }
}
