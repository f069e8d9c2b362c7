package dev.colonnade.server.net;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What a node does about one verb. Called from the transport's threads; must not block. */
@FunctionalInterface
public interface RequestHandler {

  /**
   * Answers a request. Of a one-way message the answer is not sent.
   *
   * @return the body of the answer. Fails with a {@link PeerFailure} to say why there is none; any
   *     other exception is a bug, is logged, and is told as {@link PeerFailure.Code#INTERNAL}
   */
  CompletableFuture<byte[]> handle(Request request);

  /**
   * The same handler, which refuses while there is a reason to: the sender hears {@link
   * PeerFailure.Code#NOT_READY}, and that nothing was done.
   *
   * @param refusal asked for each request; empty if it is to be handled
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
