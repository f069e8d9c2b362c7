package dev.colonnade.client;

/** Shows tests of whole nodes what the library hides: whether calls use a session. */
public final class SessionProbe {

  private SessionProbe() {}

  /** Has a client open its session, and waits until it has one. */
  public static void awaitSession(Colonnade client) {
    while (client.sessions().current() == null) {
      Thread.onSpinWait();
    }
  }

  /** Whether small calls go over a session now. */
  public static boolean hasSession(Colonnade client) {
    return client.sessions().isOpen();
  }
}
