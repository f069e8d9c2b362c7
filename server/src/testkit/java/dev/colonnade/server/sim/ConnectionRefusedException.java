package dev.colonnade.server.sim;

/** No node took a client's request, so that nothing can have come of it. */
public final class ConnectionRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ConnectionRefusedException(String name) {
    super("no process listens at " + name);
  }
}
