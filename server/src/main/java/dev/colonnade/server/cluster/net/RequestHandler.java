package dev.colonnade.server.cluster.net;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Handles the requests of one verb. Called on the transport's threads; must not block. */
@FunctionalInterface
public interface RequestHandler {

  /**
   * Handles a request. The answer to a one-way message is not sent.
   *
   * @return the body of the answer. Fails with a {@link PeerFailure} that says why there is none;
   *     any other exception is a bug, is logged, and is sent as {@link PeerFailure.Code#INTERNAL}
   */
  CompletableFuture<byte[]> handle(Request request);

  /**
   * The same handler with a guard: while there is a reason to refuse, the sender gets {@link
   * PeerFailure.Code#NOT_READY}, which means that nothing was done.
   *
   * @param refusal called for each request; empty to handle it
   */
  default RequestHandler unless(Supplier<Optional<String>> refusal) {
    return request -> {
      Optional<String> why = refusal.get();
      return why.isPresent()
          ? CompletableFuture.failedFuture(new PeerFailure(PeerFailure.Code.NOT_READY, why.get()))
          : handle(request);
    };
  }
}
