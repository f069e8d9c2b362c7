package dev.colonnade.cli.shell.run;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;

/**
 * The first elements of an iterator, up to a limit, and whether there were more, for which it reads
 * one more. Ends with a {@link CancellationException} when the thread is interrupted.
 */
final class Limited<T> implements Iterator<T> {

  private final Iterator<T> source;
  private int left;

  Limited(Iterator<T> source, int limit) {
    this.source = source;
    this.left = limit;
  }

  /** How many elements to request, so that {@link #more} can tell. */
  static int request(int limit) {
    return limit == Integer.MAX_VALUE ? limit : limit + 1;
  }

  @Override
  public boolean hasNext() {
    if (Thread.currentThread().isInterrupted()) {
      // If elements arrive as fast as they are shown, the thread never waits, and nothing else
      // would notice the interruption.
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

  /** Whether the limit left something out. Valid at the end. */
  boolean more() {
    return left == 0 && source.hasNext();
  }
}
