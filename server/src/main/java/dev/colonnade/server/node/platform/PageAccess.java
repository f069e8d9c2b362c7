package dev.colonnade.server.node.platform;

import java.util.Optional;

/**
 * Decides who may see the pages for monitors; the only place where that is decided. Called on the
 * thread that builds pages, one call at a time.
 */
@FunctionalInterface
public interface PageAccess {

  /** Lets everyone see everything. */
  PageAccess OPEN = request -> Optional.empty();

  /** Why a request is refused, as the answer to it; empty if it is not. */
  Optional<OpsPage.PageAnswer> refusal(OpsPage.PageRequest request);
}
