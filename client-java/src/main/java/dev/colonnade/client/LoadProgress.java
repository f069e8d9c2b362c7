package dev.colonnade.client;

import java.util.function.Consumer;

/** Adds up what replicas have written, and tells a listener. Thread-safe. */
final class LoadProgress {
  private final Consumer<Progress> listener;
  private long done;
  private long total;

  LoadProgress(Consumer<Progress> listener) {
    this.listener = listener;
  }

  synchronized void begin(long bytes) {
    total = bytes;
    add(0);
  }

  /** Counts bytes; negative ones are void. */
  synchronized void add(long bytes) {
    done += bytes;
    listener.accept(new Progress("sending", done, total, ""));
  }
}
