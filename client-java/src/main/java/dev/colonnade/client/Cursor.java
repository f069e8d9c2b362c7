package dev.colonnade.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Reads a long answer while it arrives. The call begins when the first element is requested, and
 * then at most one part of the answer is fetched ahead of the reader. After a broken connection the
 * reading continues where it stopped. Close it: that ends the call on the node, even before its
 * end.
 *
 * <p>For one thread, except that {@link #close} may come from any. {@link #hasNext} waits for the
 * network, for each part at most the deadline of the {@link CallOptions}, and throws {@link
 * ColonnadeException}; after that there is nothing more to read.
 *
 * <pre>{@code
 * ColumnFamily<String, Long, String> timeline =
 *     client
 *         .keyspace("Blog")
 *         .columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
 * timeline.insertAll("bob", Map.of(10L, "one", 20L, "two", 30L, "three"));
 * try (Cursor<Column<Long, String>> tweets = timeline.stream("bob", Slice.<Long>all().reversed())) {
 *   while (tweets.hasNext()) {
 *     Column<Long, String> tweet = tweets.next();
 *     System.out.println(tweet.name() + " " + tweet.value());
 *     if (tweet.name() < 25) {
 *       break;
 *     }
 *   }
 * }
 * // prints 30 three
 * // prints 20 two
 * }</pre>
 */
public final class Cursor<T> implements Iterator<T>, AutoCloseable {

  private final AsyncCursor<T> parts;
  private final Deque<T> ready = new ArrayDeque<>();

  Cursor(AsyncCursor<T> parts) {
    this.parts = parts;
  }

  @Override
  public boolean hasNext() {
    if (ready.isEmpty()) {
      // After the end, a failure, or closing, there is nothing in a part.
      ready.addAll(Transport.await(parts.next()));
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
    parts.close();
  }
}
