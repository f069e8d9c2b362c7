package dev.colonnade.server.coordinator;

import dev.colonnade.server.env.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The wall clock's microseconds, pushed on when the clock stands still or steps back, so that of
 * two writes through one node the later one wins.
 *
 * <p>No other node of the ring gives the same ones: of each group of as many microseconds as there
 * are nodes (the next power of two) every node has one of its own, by the order of their ids. Among
 * a hundred nodes that are 7,800 timestamps a second and node; a node that gives more for so long
 * that it would be a second ahead of its clock takes what comes next, and can tie with another one.
 * So can two nodes that have not heard of the same ring yet. Ties are decided by {@link
 * dev.colonnade.server.model.Reconcile}.
 *
 * <p>Thread-safe.
 */
public final class IncreasingTimestamps implements TimestampSource {

  /** So far a node may be ahead of its clock so as not to tie with others, in microseconds. */
  private static final long AHEAD_MAX = 1_000_000;

  /**
   * Which timestamps are this node's.
   *
   * @param index what is left of one that is divided by {@code of}
   */
  private record Share(int index, int of) {

    static final Share ALL = new Share(0, 1);

    long firstFrom(long micros) {
      return micros + Math.floorMod(index - micros, (long) of);
    }
  }

  private final Clock clock;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);
  private final AtomicLong latestWall = new AtomicLong(Long.MIN_VALUE);
  private volatile Share share = Share.ALL;

  /** Starts at {@code clock}'s time. */
  public IncreasingTimestamps(Clock clock) {
    this.clock = clock;
  }

  /**
   * From now on with others.
   *
   * @param nodeIds of all nodes of the ring, in any order; without {@code selfId} while this node
   *     has no place there
   */
  public void shareWith(List<String> nodeIds, String selfId) {
    int index = 0;
    int nodes = 1;
    for (String id : nodeIds) {
      if (!id.equals(selfId)) {
        nodes++;
        index += id.compareTo(selfId) < 0 ? 1 : 0;
      }
    }
    share = new Share(index, Integer.highestOneBit(nodes * 2 - 1));
  }

  @Override
  public long nextMicros() {
    long now = clock.wallMicros();
    long bound = latestWall.accumulateAndGet(now, Math::max) + AHEAD_MAX;
    Share own = share;
    return last.updateAndGet(
        previous -> {
          long least = Math.max(previous + 1, now);
          long next = own.firstFrom(least);
          return next > bound ? least : next;
        });
  }
}
