package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.cluster.net.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Frames queued for one peer in one channel class, limited in number and bytes. Any thread may add;
 * one at a time may take.
 */
final class OutboundQueue {

  /**
   * One queued frame.
   *
   * @param sinceNanos when it was queued, by System.nanoTime
   */
  record QueuedFrame(Frame frame, long sinceNanos) {}

  private final Queue<QueuedFrame> frames = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final GrpcTransportSettings.Queue limits;
  private final MemoryPool.PoolShare memory;

  /**
   * Creates an empty queue.
   *
   * @param memory accounts for queued frames
   */
  OutboundQueue(GrpcTransportSettings.Queue limits, MemoryPool.PoolShare memory) {
    this.limits = limits;
    this.memory = memory;
  }

  /** Adds a frame unless there is no room. */
  boolean offer(Frame frame) {
    int length = frame.body().length;
    if (size.incrementAndGet() > limits.maxFrames()) {
      size.decrementAndGet();
      return false;
    }
    long mine = bytes.addAndGet(length);
    boolean fits = mine <= limits.maxBytes() && memory.reserve(MemoryUse.PEERS_SENDING, length);
    if (!fits && mine != length) {
      size.decrementAndGet();
      bytes.addAndGet(-length);
      return false;
    }
    if (!fits) {
      memory.take(MemoryUse.PEERS_SENDING, length);
    }
    frames.add(new QueuedFrame(frame, System.nanoTime()));
    return true;
  }

  /** Returns the next frame without removing it; null if there is none. */
  @Nullable QueuedFrame peek() {
    return frames.peek();
  }

  /** Removes and returns the next frame; null if there is none. */
  @Nullable QueuedFrame poll() {
    QueuedFrame next = frames.poll();
    if (next != null) {
      size.decrementAndGet();
      int length = next.frame().body().length;
      bytes.addAndGet(-length);
      memory.release(MemoryUse.PEERS_SENDING, length);
    }
    return next;
  }

  /** Removes all frames. */
  List<Frame> clear() {
    List<Frame> dropped = new ArrayList<>();
    for (QueuedFrame next = poll(); next != null; next = poll()) {
      dropped.add(next.frame());
    }
    return dropped;
  }

  boolean isEmpty() {
    return frames.isEmpty();
  }

  int size() {
    return size.get();
  }

  long bytes() {
    return bytes.get();
  }
}
