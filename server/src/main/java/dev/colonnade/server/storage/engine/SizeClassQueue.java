package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.FairQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * A queue of writes with two size classes, which the pipeline's turns take alternately: small and
 * large writes. A small write therefore waits for one turn of large ones, not for all that are
 * queued, and large ones progress however many small ones arrive. In each class column families
 * take turns by bytes ({@link FairQueue}), so that the writes of one, however many and however slow
 * its comparator, do not hold up those of another; those of one family are in the order of arrival.
 *
 * <p>Writes that are queued side by side have no order that a client could observe.
 *
 * <p>For one thread at a time.
 *
 * @param <W> a write
 */
final class SizeClassQueue<W> {

  /**
   * The most mutations of one turn, so that an acknowledgement does not wait for megabytes behind
   * it.
   */
  private static final int TURN_MUTATIONS = 256;

  private static final long TURN_BYTES = 1 << 20;

  /** The same for large writes, which small ones wait for: usually one. */
  private static final long LARGE_TURN_BYTES = 256 << 10;

  /** What small writes of one family may take before it is another family's turn. */
  private static final long FAMILY_BYTES = 16 << 10;

  private final ToLongFunction<W> bytesOf;
  private final Function<W, ?> familyOf;
  private final long smallBytesMax;

  // The pipeline bounds the bytes of all writes.
  private final FairQueue<Object, W> small = new FairQueue<>(FAMILY_BYTES, Integer.MAX_VALUE);
  private final FairQueue<Object, W> large = new FairQueue<>(LARGE_TURN_BYTES, Integer.MAX_VALUE);

  /** Whether small ones were taken while large ones waited. */
  private boolean largeNext;

  private boolean heldBack;

  /**
   * Starts empty.
   *
   * @param familyOf names the column family of a write
   * @param smallBytesMax a write of more bytes is a large one
   */
  SizeClassQueue(ToLongFunction<W> bytesOf, Function<W, ?> familyOf, long smallBytesMax) {
    this.bytesOf = bytesOf;
    this.familyOf = familyOf;
    this.smallBytesMax = smallBytesMax;
  }

  void add(W write) {
    long bytes = bytesOf.applyAsLong(write);
    (bytes > smallBytesMax ? large : small).offer(familyOf.apply(write), bytes, write);
  }

  boolean isEmpty() {
    return small.isEmpty() && large.isEmpty();
  }

  /** Whether the next turn is one of large writes. */
  boolean isLargeNext() {
    return !heldBack && !large.isEmpty() && (largeNext || small.isEmpty());
  }

  /** About how many bytes the next turn of large writes takes; 0 if there are none. */
  long nextLargeBytes() {
    W first = large.peek();
    return first == null ? 0 : Math.max(bytesOf.applyAsLong(first), 2 * LARGE_TURN_BYTES);
  }

  /** Leaves large writes where they are, or no longer does. */
  void holdBackLarge(boolean holdsBack) {
    heldBack = holdsBack;
  }

  /** Whether there are large writes that are held back, and no others. */
  boolean isHeldBack() {
    return heldBack && small.isEmpty() && !large.isEmpty();
  }

  /** Takes what the next turn writes: at least one, unless the queue is empty or held back. */
  List<W> take() {
    return take(TURN_MUTATIONS, TURN_BYTES, LARGE_TURN_BYTES);
  }

  /**
   * Takes what the next turn writes.
   *
   * @param writesMax the most writes to take
   * @param smallBytes stop taking small writes at this many bytes
   * @param largeBytes stop taking large writes at this many bytes
   * @return at least one, unless the queue is empty or held back
   */
  List<W> take(int writesMax, long smallBytes, long largeBytes) {
    boolean isLarge = isLargeNext();
    FairQueue<Object, W> queue = isLarge ? large : small;
    long bytesMax = isLarge ? largeBytes : smallBytes;
    largeNext = !isLarge && !large.isEmpty();
    List<W> taken = new ArrayList<>();
    long bytes = 0;
    while (taken.size() < writesMax && bytes < bytesMax) {
      W write = queue.poll();
      if (write == null) {
        break;
      }
      bytes += bytesOf.applyAsLong(write);
      taken.add(write);
    }
    return taken;
  }

  /** Takes all writes that are so, those of one size and family in the order of arrival. */
  List<W> takeIf(Predicate<W> isSo) {
    List<W> taken = new ArrayList<>(small.takeIf(isSo));
    taken.addAll(large.takeIf(isSo));
    return taken;
  }
}
