package dev.colonnade.server.base.async;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A bounded number of places, each held by a claim. Thread-safe. */
public final class Places {

  private final int places;
  private final AtomicInteger taken = new AtomicInteger();

  /** Creates free places. */
  public Places(int places) {
    this.places = places;
  }

  /** Creates any number of places, and counts the taken ones. */
  public static Places unbounded() {
    return new Places(Integer.MAX_VALUE);
  }

  /** Takes a place; null if none is free. */
  public @Nullable Claim claim() {
    if (taken.incrementAndGet() > places) {
      taken.decrementAndGet();
      return null;
    }
    return counted();
  }

  /** Takes a place, also beyond the bound. */
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
