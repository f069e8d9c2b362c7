package dev.colonnade.server.sstable;

import dev.colonnade.server.async.Claim;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The heap that the Bloom filters of all open data files may take together. A file whose filter
 * does not fit is read without it: questions about rows that it has not got cost a look into its
 * index then. Thread-safe.
 */
public final class FilterMemory {

  private final long bytesMax;
  private final AtomicLong held = new AtomicLong();
  private final AtomicLong leftOut = new AtomicLong();

  /** With nothing in it. */
  public FilterMemory(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Asks for the heap of one filter; null if there is not enough. */
  @Nullable Claim hold(long bytes) {
    if (held.addAndGet(bytes) > bytesMax) {
      held.addAndGet(-bytes);
      return null;
    }
    return Claim.of(() -> held.addAndGet(-bytes));
  }

  /** A file is open without its filter. */
  Claim leaveOut() {
    leftOut.incrementAndGet();
    return Claim.of(leftOut::decrementAndGet);
  }

  /** What filters take now. */
  public long heldBytes() {
    return held.get();
  }

  /** Open files that are read without their filters. */
  public long filesWithout() {
    return leftOut.get();
  }
}
