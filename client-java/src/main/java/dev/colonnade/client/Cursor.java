package dev.colonnade.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads a long answer while it arrives. Nothing is asked before the first element is, and then at
 * most one part of the answer is fetched ahead of the reader. A broken connection is made good by
 * going on where it broke. Close it: that ends the call on the node, also half-way.
 *
 * <p>For one thread, except that {@link #close} may come from any. {@link #hasNext} waits for the
 * network, for each part at most the deadline of the {@link CallOptions}, and throws {@link
 * ColonnadeException}; after that there is nothing more to read.
 */
public final class Cursor<T> implements Iterator<T>, AutoCloseable {

  private final Supplier<@Nullable List<T>> parts;
  private final Runnable onClose;
  private final Deque<T> ready = new ArrayDeque<>();
  private volatile boolean ended;

  /**
   * A cursor over parts.
   *
   * @param parts the next part, possibly empty, or null at the end
   */
  Cursor(Supplier<@Nullable List<T>> parts, Runnable onClose) {
    this.parts = parts;
    this.onClose = onClose;
  }

  @Override
  public boolean hasNext() {
    while (ready.isEmpty() && !ended) {
      boolean more = false;
      try {
        List<T> part = parts.get();
        if (part != null) {
          ready.addAll(part);
          more = true;
        }
      } finally {
        if (!more) {
          close();
        }
      }
    }
    return !ready.isEmpty();
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the answer has no more elements");
    }
    return ready.remove();
  }

  /** The rest as a sequential stream, whose closing closes this cursor. */
  public Stream<T> stream() {
    return StreamSupport.stream(
            Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED | Spliterator.NONNULL),
            false)
        .onClose(this::close);
  }

  /** Ends the call if it still runs. What already arrived may still be read. */
  @Override
  public void close() {
    if (!ended) {
      ended = true;
      onClose.run();
    }
  }
}
