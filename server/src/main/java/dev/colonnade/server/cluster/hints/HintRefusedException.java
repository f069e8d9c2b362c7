package dev.colonnade.server.cluster.hints;

/** A hint that was not kept. The write counts as missed by its target until a repair. */
public final class HintRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  HintRefusedException(String targetId, String why) {
    super("no hint was kept for node " + targetId + ": " + why);
  }

  HintRefusedException(String targetId, String why, Throwable cause) {
    super("no hint was kept for node " + targetId + ": " + why, cause);
  }
}
