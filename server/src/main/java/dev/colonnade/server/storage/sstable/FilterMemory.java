package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.async.Claim;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the heap that the Bloom filters of all open data files take together. A file whose filter
 * does not fit is read without it: reads of rows that it does not have then cost a lookup in its
 * index. Thread-safe.
 */
public final class FilterMemory {

  private final long bytesMax;
  private final AtomicLong held = new AtomicLong();
  private final AtomicLong leftOut = new AtomicLong();

  /** Starts with no filters. */
  public FilterMemory(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Claims the heap of one filter; null if there is not enough. */
  @Nullable Claim hold(long bytes) {
    if (held.addAndGet(bytes) > bytesMax) {
      held.addAndGet(-bytes);
      return null;
    }
    return Claim.of(() -> held.addAndGet(-bytes));
  }

  /** Counts a file that is open without its filter. */
  Claim leaveOut() {
    leftOut.incrementAndGet();
    return Claim.of(leftOut::decrementAndGet);
  }

  /** The bytes that filters take now. */
  public long heldBytes() {
    return held.get();
  }

  /** Open files that are read without their filters. */
  public long filesWithout() {
    return leftOut.get();
  }
}
