package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The writes and actions that {@link WritePipeline} has yet to do. The bytes of the writes are
 * bounded.
 *
 * <p>Any thread may add. Everything else belongs to the thread that drains the queue, which finds
 * the writes up to the next action by size ({@link SizeClassQueue}), and the action when these are
 * empty.
 */
final class WriteQueue {

  private static final FamilyId NO_FAMILY = new FamilyId(0, 0);

  /** One item of the queue. */
  private sealed interface Item permits Write, Action {}

  /**
   * A write.
   *
   * @param bytes of its record
   * @param untilNanos how long it may wait for room, by the monotonic clock
   * @param trace of the call; null if it is not traced
   */
  record Write(
      Mutation mutation,
      boolean durable,
      long bytes,
      long untilNanos,
      CompletableFuture<Void> done,
      @Nullable StoreTrace trace)
      implements Item {

    /** The first family that it changes, and usually the only one. */
    FamilyId family() {
      List<Mutation.FamilyMutation> parts = mutation.updates();
      return parts.isEmpty() ? NO_FAMILY : parts.get(0).family();
    }
  }

  /** What an action needs to know of the writes that were queued before it. */
  enum Order {
    /** It comes after them. */
    BEHIND_WRITES,
    /** The same, and it may wait for the disk. */
    BEHIND_WRITES_BLOCKING,
    /** It comes after them, but before those that wait for room: it may be what makes room. */
    BEFORE_WAITING_WRITES
  }

  /** An action in order with the writes. */
  record Action(Consumer<LogPosition> action, Order order, CompletableFuture<Void> done)
      implements Item {

    boolean blocks() {
      return order == Order.BEHIND_WRITES_BLOCKING;
    }
  }

  private final long bytesMax;
  private final ConcurrentLinkedQueue<Item> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private final LongAdder refused = new LongAdder();

  /** The writes at the head of the queue, up to the next action. */
  private final SizeClassQueue<Write> bySize;

  /**
   * Starts empty.
   *
   * @param bytesMax most bytes of writes
   * @param smallBytesMax a write of more bytes is a large one
   */
  WriteQueue(long bytesMax, long smallBytesMax) {
    this.bytesMax = bytesMax;
    this.bySize = new SizeClassQueue<>(Write::bytes, Write::family, smallBytesMax);
  }

  /** Adds a write; false if there are too many bytes of others, however large it is itself. */
  boolean add(Write write) {
    long all = bytes.addAndGet(write.bytes());
    if (all > bytesMax && all > write.bytes()) {
      bytes.addAndGet(-write.bytes());
      refused.increment();
      return false;
    }
    queue.add(write);
    return true;
  }

  void add(Action action) {
    queue.add(action);
  }

  /** Returns the bytes of the writes. */
  long bytes() {
    return bytes.get();
  }

  /** How many writes found too many bytes of others. */
  long refused() {
    return refused.sum();
  }

  /** Whether something was added that {@link #hasMore} has not looked at. */
  boolean hasNew() {
    return !queue.isEmpty();
  }

  /** Moves writes to their size class; whether there is anything to do. */
  boolean hasMore() {
    while (queue.peek() instanceof Write write) {
      queue.poll();
      bySize.add(write);
    }
    return !bySize.isEmpty() || !queue.isEmpty();
  }

  /** Whether there are writes before the next action. */
  boolean hasWrites() {
    return !bySize.isEmpty();
  }

  /** Whether the next turn is one of large writes. */
  boolean isLargeNext() {
    return bySize.isLargeNext();
  }

  /** About how many bytes the next turn of large writes takes; 0 if there are none. */
  long nextLargeBytes() {
    return bySize.nextLargeBytes();
  }

  /**
   * Leaves large writes where they are while small ones are taken, or no longer does.
   *
   * @return whether there are large writes only, so that nothing is to be taken
   */
  boolean holdBackLarge(boolean holdsBack) {
    bySize.holdBackLarge(holdsBack);
    return bySize.isHeldBack();
  }

  /** Takes the writes of one turn: at least one if there are any that are not held back. */
  List<Write> take() {
    return counted(bySize.take());
  }

  /** Takes the writes before the next action that have waited for as long as they may. */
  List<Write> takeOverdue(long nowNanos) {
    return counted(bySize.takeIf(write -> nowNanos - write.untilNanos() >= 0));
  }

  private List<Write> counted(List<Write> taken) {
    long sum = 0;
    for (Write write : taken) {
      sum += write.bytes();
    }
    bytes.addAndGet(-sum);
    return taken;
  }

  /** The next action, which the writes before it have to precede; null if the next is none. */
  @Nullable Action nextAction() {
    return queue.peek() instanceof Action action ? action : null;
  }

  void removeAction() {
    queue.poll();
  }
}
