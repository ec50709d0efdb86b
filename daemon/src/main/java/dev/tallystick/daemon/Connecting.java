package dev.tallystick.daemon;

import dev.tallystick.client.TallyClient;
import java.net.URI;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Gives the same client until the token changes. Thread-safe. */
final class Connecting implements Supplier<TallyClient> {

    private final URI server;
    private final Supplier<String> token;
    private final Duration patience;
    private @Nullable String lastToken;
    private @Nullable TallyClient client;

    Connecting(URI server, Supplier<String> token, Duration patience) {
        this.server = server;
        this.token = token;
        this.patience = patience;
    }

    @Override
    public synchronized TallyClient get() {
        String now = token.get();
        TallyClient known = client;
        if (known == null || !now.equals(lastToken)) {
            known = new TallyClient(server, now, patience);
            client = known;
            lastToken = now;
        }
        return known;
    }
}
