package dev.colonnade.server.async;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Room for a number at a time. Thread-safe. */
public final class Places {

  private final int places;
  private final AtomicInteger taken = new AtomicInteger();

  /** Room for so many, all of it free. */
  public Places(int places) {
    this.places = places;
  }

  /** Room for any number, which is counted. */
  public static Places unbounded() {
    return new Places(Integer.MAX_VALUE);
  }

  /** Takes one; null if none is free. */
  public @Nullable Claim claim() {
    if (taken.incrementAndGet() > places) {
      taken.decrementAndGet();
      return null;
    }
    return counted();
  }

  /** Takes one, also beyond the bound. */
  public Claim take() {
    taken.incrementAndGet();
    return counted();
  }

  private Claim counted() {
    try {
      return Claim.of(taken::decrementAndGet);
    } catch (Error e) {
      taken.decrementAndGet();
      throw e;
    }
  }

  /** How many are taken now. */
  public int taken() {
    return taken.get();
  }
}
