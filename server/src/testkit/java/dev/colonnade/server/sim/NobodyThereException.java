package dev.colonnade.server.sim;

/** No node took a client's request, so that nothing can have come of it. */
public final class NobodyThereException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NobodyThereException(String name) {
    super("nobody listens at " + name);
  }
}
