package dev.colonnade.server.base.async;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An exclusive place for one holder at a time. Thread-safe. */
public final class Slot {

  private final AtomicBoolean taken = new AtomicBoolean();

  /** Takes it; null if it is taken. */
  public @Nullable Claim claim() {
    if (!taken.compareAndSet(false, true)) {
      return null;
    }
    try {
      return Claim.of(() -> taken.set(false));
    } catch (Error e) {
      taken.set(false);
      throw e;
    }
  }

  /** Whether it is taken. */
  public boolean isTaken() {
    return taken.get();
  }
}
