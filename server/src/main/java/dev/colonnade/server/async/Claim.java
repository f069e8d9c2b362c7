package dev.colonnade.server.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Something that is held and must be given back once, whatever is thrown meanwhile: a place among a
 * bounded number, the right to be the only one, a reference.
 *
 * <p>Held by one thread, it belongs into a {@code try}; held by work of several steps, it is handed
 * to {@link #until}. Giving it back again does nothing.
 *
 * <p>Thread-safe.
 */
public final class Claim implements AutoCloseable {

  private final AtomicReference<@Nullable Runnable> giveBack;

  private Claim(Runnable giveBack) {
    this.giveBack = new AtomicReference<>(giveBack);
  }

  /**
   * A claim that is held from now on.
   *
   * @param giveBack run once, by the first {@link #close}; must not throw
   */
  public static Claim of(Runnable giveBack) {
    return new Claim(giveBack);
  }

  /** Whether it was not given back yet. */
  public boolean isHeld() {
    return giveBack.get() != null;
  }

  /** Gives it back. Throws nothing. */
  @Override
  public void close() {
    Runnable action = giveBack.getAndSet(null);
    if (action != null) {
      try {
        action.run();
      } catch (RuntimeException | Error e) {
        Errors.report("something that was held could not be given back", e);
      }
    }
  }

  /**
   * Gives it back when the work is done, however it ends, before anything that is attached to the
   * result of this.
   *
   * @return completes as {@code work} does, after the claim was given back
   */
  public <T> CompletableFuture<T> until(CompletableFuture<T> work) {
    try {
      return work.whenComplete((value, failure) -> close());
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }
}
