package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.rpc.SlowRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the calls of clients on data that took long, counts them, and remembers the last ones for
 * the status page.
 *
 * <ul>
 *   <li>At most {@value #LINES_MAX} lines are logged in a second, so that a node on which all calls
 *       are slow does not fill its disk. The next line says how many were left out.
 *   <li>At most {@value #REMEMBERED} calls are remembered, with texts of bounded length.
 *   <li>Keys are shown, values never: nothing here has seen one.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class SlowRequests {

  private static final Logger LOG = LoggerFactory.getLogger(SlowRequests.class);

  static final int REMEMBERED = 50;

  static final int LINES_MAX = 5;

  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MICROS_PER_MILLI = 1_000;

  /** A call that took long; it ended then. */
  record Ended(long timeMillis, SlowRequest request) {}

  private final Clock clock;

  // Guarded by this.
  private final Deque<Ended> last = new ArrayDeque<>();
  private long total;
  private long periodNanos;
  private int lines;
  private long unlogged;

  SlowRequests(Clock clock) {
    this.clock = clock;
    this.periodNanos = clock.monotonicNanos();
  }

  /** Takes in a call that took long. */
  void add(SlowRequest request) {
    Ended ended = new Ended(clock.wallMicros() / MICROS_PER_MILLI, request);
    long leftOut;
    synchronized (this) {
      total++;
      if (last.size() == REMEMBERED) {
        last.removeLast();
      }
      last.addFirst(ended);
      if (!mayLog(clock.monotonicNanos())) {
        unlogged++;
        return;
      }
      leftOut = unlogged;
      unlogged = 0;
    }
    LOG.info("{}", line(request, leftOut));
  }

  private boolean mayLog(long nowNanos) {
    if (nowNanos - periodNanos >= PERIOD_NANOS) {
      periodNanos = nowNanos;
      lines = 0;
    }
    return lines++ < LINES_MAX;
  }

  /** The last ones first. */
  synchronized List<Ended> last() {
    return List.copyOf(last);
  }

  /** How many there were since the start. */
  synchronized long total() {
    return total;
  }

  /** The line of the log for a call. */
  private static String line(SlowRequest request, long leftOut) {
    StringBuilder line = new StringBuilder("slow request:");
    line.append(" call=").append(request.method());
    line.append(" took_ms=").append(TimeUnit.NANOSECONDS.toMillis(request.nanos()));
    line.append(" code=").append(request.statusCode());
    line.append(" family=").append(request.keyspace()).append('.').append(request.family());
    if (!request.key().isEmpty()) {
      line.append(" key=").append(request.key());
    }
    if (request.rows() > 1) {
      line.append(" rows=").append(request.rows());
    }
    line.append(" level=").append(request.level());
    line.append(" client=").append(request.client());
    line.append(" answer_bytes=").append(request.answerBytes());
    line.append(work(request.cost()));
    if (!request.traceId().isEmpty()) {
      line.append(" trace=").append(request.traceId());
    }
    if (leftOut > 0) {
      line.append(" (").append(leftOut).append(" more since the last such line)");
    }
    return line.toString();
  }

  /** What a call did, as pairs of names and figures, each after a blank; empty if not known. */
  static String work(CallCost cost) {
    if (cost.replicas().asked().isEmpty()) {
      return "";
    }
    StringBuilder work = new StringBuilder();
    work.append(" replicas_asked=").append(cost.replicas().asked().size());
    work.append(" replicas_answered=").append(cost.replicas().answered().size());
    work.append(" files=").append(cost.sstables());
    work.append(" blocks_cached=").append(cost.blockCacheHits());
    work.append(" blocks_disk=").append(cost.blocksRead() - cost.blockCacheHits());
    work.append(" tombstones=").append(cost.tombstones());
    work.append(" late=").append(cost.late());
    work.append(" digest_mismatches=").append(cost.mismatches());
    work.append(" read_repairs=").append(cost.repairs());
    return work.toString();
  }
}
