package dev.colonnade.server.storage.manifest;

import java.io.IOException;

/** The data belongs to a node with other settings. Nothing has been changed. */
public final class IdentityMismatchException extends IOException {
  private static final long serialVersionUID = 1L;

  IdentityMismatchException(String path, String what, String stored, String wanted) {
    super(
        "the data at "
            + path
            + " was written with the "
            + what
            + " '"
            + stored
            + "', and this node is started with '"
            + wanted
            + "'. It cannot be changed once there is data: start with '"
            + stored
            + "', or with another data directory.");
  }
}
