package dev.tallystick.exchange.books;

import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ArrayValue;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.core.Json.StringValue;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.JsonRefused;
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
        ObjectValue answer = ask("?side=" + side.word(), null);
        opened = text(answer, "books");
        Map<Period, String> roots = new TreeMap<>();
        for (ObjectValue each : objects(answer, "periods")) {
            try {
                roots.put(new Period(LocalDate.parse(text(each, "day"))), text(each, "hash"));
            } catch (DateTimeParseException e) {
                throw foreign(e);
            }
        }
        return roots;
    }

    @Override
    public Map<String, String> nodes(Period period) {
        return hashes(ask(path(period), null));
    }

    @Override
    public Map<String, String> nodes(Period period, String node) {
        return hashes(ask(path(period) + "/" + node, null));
    }

    @Override
    public List<Entry> entries(Period period, Set<String> nodes) {
        List<Entry> entries = new ArrayList<>();
        List<String> all = List.copyOf(nodes);
        for (int from = 0; from < all.size(); from += MOST_NODES) {
            List<Json> some = all.subList(from, Math.min(all.size(), from + MOST_NODES)).stream()
                    .<Json>map(Json::of)
                    .toList();
            ObjectValue question = new ObjectValue(Map.of("nodes", new ArrayValue(some)));
            for (ObjectValue each : objects(ask(path(period) + "/entries", question), "entries")) {
                entries.add(new Entry(text(each, "id"), text(each, "status"), text(each, "hash")));
            }
        }
        return entries;
    }

    private String path(Period period) {
        return "/" + Objects.requireNonNull(opened, "ask for the roots first") + "/" + period;
    }

    private static Map<String, String> hashes(ObjectValue answer) {
        Map<String, String> hashes = new HashMap<>();
        for (ObjectValue each : objects(answer, "nodes")) {
            hashes.put(text(each, "node"), text(each, "hash"));
        }
        return hashes;
    }

    private ObjectValue ask(String path, @Nullable ObjectValue question) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        partner.server().resolve("/v1/exchange/books/" + self + path))
                .timeout(LONGEST);
        if (!partner.token().isEmpty()) {
            request.header("Authorization", "Bearer " + partner.token());
        }
        if (question != null) {
            request.header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofByteArray(question.canonicalBytes()));
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
                return Json.parse(bytes, ANSWER) instanceof ObjectValue object ? object : refuse();
            }
        } catch (JsonRefused e) {
            throw foreign(e);
        } catch (IOException e) {
            throw new TransportException("cannot reach the partner's server: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransportException("interrupted", e);
        }
    }

    private static List<ObjectValue> objects(ObjectValue answer, String name) {
        if (!(answer.members().get(name) instanceof ArrayValue array)) {
            throw foreign(null);
        }
        List<ObjectValue> objects = new ArrayList<>();
        for (Json each : array.elements()) {
            objects.add(each instanceof ObjectValue object ? object : refuse());
        }
        return objects;
    }

    private static String text(ObjectValue object, String name) {
        if (object.members().get(name) instanceof StringValue text) {
            return text.value();
        }
        throw foreign(null);
    }

    private static ObjectValue refuse() {
        throw foreign(null);
    }

    private static TransportException foreign(@Nullable Exception cause) {
        return new TransportException("the partner's server answered with something else than its books", cause);
    }
}
