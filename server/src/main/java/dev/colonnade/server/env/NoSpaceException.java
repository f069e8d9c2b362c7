package dev.colonnade.server.env;

import java.io.IOException;

/**
 * The disk, or the share of it that this user may have, is full. Nothing else is known to be wrong
 * with it: once there is room again, other files can be written. What the failed operation was
 * about may be there in part.
 */
public class NoSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Says what did not fit. */
  public NoSpaceException(String message) {
    super(message);
  }
}
