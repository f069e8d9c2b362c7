package dev.colonnade.server.net;

import java.util.concurrent.CompletableFuture;

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
}
