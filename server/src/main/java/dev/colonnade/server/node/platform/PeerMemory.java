package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes of other nodes' messages that have not arrived completely, of all streams
 * together. Members get half of the pool: to refuse a message breaks its stream for all other
 * messages, and their senders are few. Anyone else who knows the cluster's name gets an eighth,
 * which is far more than a node needs until it is a member. What is held lessens the memory that
 * clients get. Thread-safe; nothing waits.
 */
final class PeerMemory {

  /** Enough for the gossip of thousands of nodes. */
  private static final long STRANGERS_BYTES_MIN = 1 << 20;

  private static final int STRANGERS_PART = 8;
  private static final int PORT_PART = 2;

  /** So many of the longest messages fit in a pool of any size. */
  private static final int MESSAGES_MIN = 2;

  private final MemoryPool pool;
  private final MemoryPool.PoolShare share;
  private final long bytesMax;
  private final long strangersBytesMax;
  private final AtomicLong held = new AtomicLong();
  private final AtomicLong heldByStrangers = new AtomicLong();
  private volatile Predicate<String> isMember = nodeId -> false;

  /**
   * Starts without members.
   *
   * @param messageBytesMax the longest message
   */
  PeerMemory(MemoryPool pool, long messageBytesMax) {
    this.pool = pool;
    this.share = pool.share(1);
    this.bytesMax = Math.max(pool.capacityBytes() / PORT_PART, MESSAGES_MIN * messageBytesMax);
    this.strangersBytesMax = Math.max(pool.capacityBytes() / STRANGERS_PART, STRANGERS_BYTES_MIN);
  }

  /** Sets how members are recognised by their ids; the test must be quick and thread-safe. */
  void recognise(Predicate<String> members) {
    isMember = members;
  }

  /** Whether a stream is of no member; null for a stream without a hello. */
  boolean isStranger(@Nullable String nodeId) {
    return nodeId == null || !isMember.test(nodeId);
  }

  /**
   * Holds bytes that have arrived.
   *
   * @return false if they are too many: the message must be refused, and what is held of it be
   *     released
   */
  boolean take(long bytes, boolean byStranger) {
    share.take(MemoryUse.PEERS_RECEIVING, bytes);
    boolean fits = held.addAndGet(bytes) <= bytesMax;
    if (byStranger) {
      fits &= heldByStrangers.addAndGet(bytes) <= strangersBytesMax;
    }
    return fits;
  }

  /** Counts a refused message. */
  void refused() {
    pool.countRefusal(MemoryUse.PEERS_RECEIVING);
  }

  void release(long bytes, long byStranger) {
    share.release(MemoryUse.PEERS_RECEIVING, bytes);
    held.addAndGet(-bytes);
    heldByStrangers.addAndGet(-byStranger);
  }
}
