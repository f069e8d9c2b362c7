package dev.colonnade.server.sim;

import java.io.IOException;

/** The simulated machine has stopped: this operation and all later ones do not happen. */
public final class PowerLostException extends IOException {
  private static final long serialVersionUID = 1L;

  PowerLostException(long operation) {
    super("the power went after file operation " + operation);
  }
}
