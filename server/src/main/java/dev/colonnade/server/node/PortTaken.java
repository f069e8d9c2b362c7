package dev.colonnade.server.node;

import java.io.IOException;
import java.net.InetSocketAddress;

/** What to tell an operator whose node cannot listen on a port. */
final class PortTaken {

  private PortTaken() {}

  /** Says what is wrong, and which option chooses another port. */
  static String message(String who, String option, InetSocketAddress address, IOException e) {
    return "cannot listen for "
        + who
        + " on "
        + address.getHostString()
        + ":"
        + address.getPort()
        + " ("
        + e.getMessage()
        + "): "
        + (isTaken(e)
            ? "stop what listens there, or choose another port with " + option
            : "choose an address of this machine with --listen");
  }

  /**
   * Whether the port is taken; the platform distinguishes that from a wrong address only by the
   * message.
   */
  private static boolean isTaken(IOException e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    return String.valueOf(cause.getMessage()).contains("in use");
  }
}
