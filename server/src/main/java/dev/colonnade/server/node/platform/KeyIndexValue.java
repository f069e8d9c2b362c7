package dev.colonnade.server.node.platform;

/**
 * The position at which a row begins, as a reusable value of a Chronicle Map. One thread at a time.
 */
final class KeyIndexValue {
  private long position;

  void set(long newPosition) {
    position = newPosition;
  }

  long position() {
    return position;
  }
}
