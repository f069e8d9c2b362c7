package dev.colonnade.server.node.platform;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Decides who may see the pages for monitors; the only place where that is decided. Called on the
 * event loop of HTTP, so it does not block.
 */
@FunctionalInterface
public interface PageAccess {

  /** Lets everyone see everything. */
  PageAccess OPEN = request -> CompletableFuture.completedFuture(Optional.empty());

  /**
   * Why a request is refused, as the answer to it; empty if it is not. Completes on any thread; a
   * failure refuses the request as one of the node.
   */
  CompletableFuture<Optional<OpsPage.PageAnswer>> refusal(OpsPage.PageRequest request);
}
