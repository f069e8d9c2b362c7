package dev.colonnade.server.base.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Something that is held and must be released exactly once, whatever is thrown meanwhile: a place
 * among a bounded number, an exclusive right, a reference.
 *
 * <p>A claim held by one thread belongs into a {@code try}; one held by work of several steps is
 * passed to {@link #until}. Releasing it again does nothing.
 *
 * <p>Thread-safe.
 */
public final class Claim implements AutoCloseable {

  private final AtomicReference<@Nullable Runnable> giveBack;

  private Claim(Runnable giveBack) {
    this.giveBack = new AtomicReference<>(giveBack);
  }

  /**
   * Creates a claim that is held from now on.
   *
   * @param giveBack run once, by the first {@link #close}; must not throw
   */
  public static Claim of(Runnable giveBack) {
    return new Claim(giveBack);
  }

  /** Whether it is not released yet. */
  public boolean isHeld() {
    return giveBack.get() != null;
  }

  /** Releases it. Throws nothing. */
  @Override
  public void close() {
    Runnable action = giveBack.getAndSet(null);
    if (action != null) {
      try {
        action.run();
      } catch (RuntimeException | Error e) {
        Errors.report("a held resource could not be released", e);
      }
    }
  }

  /**
   * Releases the claim when the work is done, however it ends, before anything attached to the
   * returned future runs.
   *
   * @return completes as {@code work} does, after the claim was released; if it is cancelled, the
   *     claim is still held until the work is done
   */
  public <T> CompletableFuture<T> until(CompletableFuture<T> work) {
    try {
      // A future that was cancelled before its source is done never runs its function: so no
      // caller gets the one that releases.
      CompletableFuture<T> released = work.whenComplete((value, failure) -> close());
      CompletableFuture<T> told = new CompletableFuture<>();
      Then.relay(released, told);
      return told;
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }
}
