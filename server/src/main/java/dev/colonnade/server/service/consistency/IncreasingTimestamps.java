package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.env.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Timestamps from the wall clock, in microseconds. If the clock stands still or steps back, they
 * still increase, so that of two writes through one node the later one wins; a {@link Limit} that
 * is kept on disk makes that true across restarts.
 *
 * <p>Nodes of one ring draw from disjoint timestamps. Microseconds are divided into groups of as
 * many as there are nodes, rounded up to a power of two; each node uses one of each group, by the
 * order of node ids. With a hundred nodes that makes 7,800 timestamps per second and node. A node
 * that needs more for so long that it would run a second ahead of its clock takes any timestamp,
 * and can tie with another node. So can two nodes that do not know the same ring yet. {@link
 * dev.colonnade.server.base.model.Reconcile} decides ties.
 *
 * <p>Thread-safe.
 */
public final class IncreasingTimestamps implements TimestampSource {

  /** How far a node may run ahead of its clock to avoid ties with others, in microseconds. */
  private static final long AHEAD_MAX = 1_000_000;

  /**
   * The timestamps that belong to this node.
   *
   * @param index remainder of such a timestamp divided by {@code of}
   */
  private record TimestampShare(int index, int of) {

    static final TimestampShare ALL = new TimestampShare(0, 1);

    long firstFrom(long micros) {
      return micros + Math.floorMod(index - micros, (long) of);
    }
  }

  /** What may be given out. */
  public interface Limit {
    /** No limit. */
    Limit NONE =
        new Limit() {
          @Override
          public long first() {
            return Long.MIN_VALUE;
          }

          @Override
          public void wanted(long micros) {
            // There are always more.
          }
        };

    /** What all timestamps of this run are greater than. */
    long first();

    /** Called with what the clock, or the last timestamp, asks for. */
    void wanted(long micros);
  }

  private final Clock clock;
  private final Limit limit;
  private final AtomicLong last;
  private final AtomicLong latestWall = new AtomicLong(Long.MIN_VALUE);
  private volatile TimestampShare share = TimestampShare.ALL;

  /** Starts at the clock's present time, whatever an earlier run gave out. */
  public IncreasingTimestamps(Clock clock) {
    this(clock, Limit.NONE);
  }

  /** Starts after all that earlier runs gave out. */
  public IncreasingTimestamps(Clock clock, Limit limit) {
    this.clock = clock;
    this.limit = limit;
    this.last = new AtomicLong(limit.first());
  }

  /**
   * Shares the timestamps with the other nodes of the ring from now on.
   *
   * @param nodeIds of all nodes of the ring, in any order; without {@code selfId} while this node
   *     has no token there
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
    share = new TimestampShare(index, Integer.highestOneBit(nodes * 2 - 1));
  }

  @Override
  public long nextMicros() {
    long now = clock.wallMicros();
    long bound = latestWall.accumulateAndGet(now, Math::max) + AHEAD_MAX;
    TimestampShare own = share;
    long given =
        last.updateAndGet(
            previous -> {
              long least = Math.max(previous + 1, now);
              long next = own.firstFrom(least);
              return next > bound ? least : next;
            });
    limit.wanted(Math.max(given, now));
    return given;
  }
}
