package dev.colonnade.cli.shell.run;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;

/**
 * At most so many of what comes, and whether there was more, which one more element tells. Ends
 * with a {@link CancellationException} when the thread is interrupted.
 */
final class Limited<T> implements Iterator<T> {

  private final Iterator<T> source;
  private int left;

  Limited(Iterator<T> source, int limit) {
    this.source = source;
    this.left = limit;
  }

  /** What to ask for, so that {@link #more} can know. */
  static int request(int limit) {
    return limit == Integer.MAX_VALUE ? limit : limit + 1;
  }

  @Override
  public boolean hasNext() {
    if (Thread.currentThread().isInterrupted()) {
      // What arrives as fast as it is shown is never waited for, and nothing else would notice.
      throw new CancellationException("the thread was interrupted");
    }
    return left > 0 && source.hasNext();
  }

  @Override
  public T next() {
    if (left == 0) {
      throw new NoSuchElementException("the limit is reached");
    }
    left--;
    return source.next();
  }

  /** Whether the limit left something out. To be asked at the end. */
  boolean more() {
    return left == 0 && source.hasNext();
  }
}
