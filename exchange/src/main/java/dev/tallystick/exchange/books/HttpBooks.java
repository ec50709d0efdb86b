package dev.tallystick.exchange.books;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.api.PartnerApi.EntryList;
import dev.tallystick.core.api.PartnerApi.EntryView;
import dev.tallystick.core.api.PartnerApi.NodeHash;
import dev.tallystick.core.api.PartnerApi.NodeList;
import dev.tallystick.core.api.PartnerApi.PeriodHash;
import dev.tallystick.core.api.PartnerApi.Roots;
import dev.tallystick.core.api.PartnerApi.WantedNodes;
import dev.tallystick.core.api.RecordBinding;
import dev.tallystick.core.api.RecordRefused;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.transport.HttpTransport.Partner;
import dev.tallystick.exchange.transport.TransportException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The books of a partner, as its server tells them. What it says is bounded, and believed only as far as it differs. Thread-safe. */
public final class HttpBooks implements Books {

    /** Its server reads all its postings before it answers. */
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private static final JsonLimits ANSWER = new JsonLimits(8 << 20, 6);

    /** The most nodes whose postings we ask for at once. */
    static final int MOST_NODES = 100;

    /** The side of the books that the partner reads. */
    public enum Side {
        /** What the partner posted to us. */
        POSTED("posted"),
        /** What the partner received from us. */
        RECEIVED("received");

        private final String word;

        Side(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    private final HttpClient client;
    private final Partner partner;
    private final Participant self;
    private final Side side;
    private volatile @Nullable String opened;

    public HttpBooks(HttpClient client, Partner partner, Participant self, Side side) {
        this.client = client;
        this.partner = partner;
        this.self = self;
        this.side = side;
    }

    @Override
    public Map<Period, String> roots() {
        Roots answer = ask("?side=" + side.word(), null, Roots.class);
        opened = answer.books();
        Map<Period, String> roots = new TreeMap<>();
        for (PeriodHash each : answer.periods()) {
            try {
                roots.put(new Period(LocalDate.parse(each.day())), each.hash());
            } catch (DateTimeParseException e) {
                throw foreign(e);
            }
        }
        return roots;
    }

    @Override
    public Map<String, String> nodes(Period period) {
        return hashes(path(period));
    }

    @Override
    public Map<String, String> nodes(Period period, String node) {
        return hashes(path(period) + "/" + node);
    }

    @Override
    public List<Entry> entries(Period period, Set<String> nodes) {
        List<Entry> entries = new ArrayList<>();
        List<String> all = List.copyOf(nodes);
        for (int from = 0; from < all.size(); from += MOST_NODES) {
            WantedNodes some = new WantedNodes(all.subList(from, Math.min(all.size(), from + MOST_NODES)));
            for (EntryView each :
                    ask(path(period) + "/entries", some, EntryList.class).entries()) {
                entries.add(new Entry(each.id(), each.status(), each.hash()));
            }
        }
        return entries;
    }

    private String path(Period period) {
        return "/" + Objects.requireNonNull(opened, "ask for the roots first") + "/" + period;
    }

    private Map<String, String> hashes(String path) {
        Map<String, String> hashes = new HashMap<>();
        for (NodeHash each : ask(path, null, NodeList.class).nodes()) {
            hashes.put(each.node(), each.hash());
        }
        return hashes;
    }

    private <A extends Record> A ask(String path, @Nullable WantedNodes question, Class<A> answer) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        partner.server().resolve("/v1/exchange/books/" + self + path))
                .timeout(LONGEST);
        if (!partner.token().isEmpty()) {
            request.header("Authorization", "Bearer " + partner.token());
        }
        if (question != null) {
            request.header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(RecordBinding.text(question)));
        }
        try {
            HttpResponse<InputStream> response = client.send(request.build(), BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                byte[] bytes = body.readNBytes(ANSWER.bytes());
                if (response.statusCode() != 200) {
                    throw new TransportException(
                            "the partner's server answered " + response.statusCode() + " to the question for its books",
                            null);
                }
                return answer.cast(RecordBinding.ofAnswer(answer).read(Json.parse(bytes, ANSWER)));
            }
        } catch (JsonRefused | RecordRefused e) {
            throw foreign(e);
        } catch (IOException e) {
            throw new TransportException("cannot reach the partner's server: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransportException("interrupted", e);
        }
    }

    private static TransportException foreign(Exception cause) {
        return new TransportException("the partner's server answered with something else than its books", cause);
    }
}
