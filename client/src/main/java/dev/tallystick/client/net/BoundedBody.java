package dev.tallystick.client.net;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The bytes of an answer, up to a limit. If the answer is larger, the connection is closed and the body is empty. */
public final class BoundedBody implements HttpResponse.BodySubscriber<Optional<byte[]>> {

    private final int limit;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<Optional<byte[]>> whole = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    public BoundedBody(int limit) {
        this.limit = limit;
    }

    @Override
    public void onSubscribe(Flow.Subscription begun) {
        subscription = begun;
        begun.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (subscription == null || whole.isDone()) {
            return;
        }
        for (ByteBuffer buffer : buffers) {
            if (buffer.remaining() > limit - bytes.size()) {
                subscription.cancel();
                whole.complete(Optional.empty());
                return;
            }
            byte[] some = new byte[buffer.remaining()];
            buffer.get(some);
            bytes.writeBytes(some);
        }
        subscription.request(1);
    }

    @Override
    public void onError(Throwable failure) {
        whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        whole.complete(Optional.of(bytes.toByteArray()));
    }

    @Override
    public CompletionStage<Optional<byte[]>> getBody() {
        return whole;
    }
}
