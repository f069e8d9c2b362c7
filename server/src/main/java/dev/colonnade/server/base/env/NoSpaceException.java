package dev.colonnade.server.base.env;

import java.io.IOException;

/**
 * The disk, or this user's quota of it, is full. Nothing else is known to be wrong with it: once
 * there is room again, other files can be written. The failed operation may have left a part of its
 * bytes.
 */
public class NoSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Says what did not fit. */
  public NoSpaceException(String message) {
    super(message);
  }
}
