package dev.colonnade.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a pool informed of the ring: has one node show it and each change, and another one when
 * that ends. Begins with the first call of the client. Thread-safe.
 */
final class RingWatcher {

  private static final long FIRST_PAUSE_MILLIS = 200;
  private static final int MAX_DOUBLINGS = 6;

  private static final System.Logger LOGGER = System.getLogger(RingWatcher.class.getName());

  private final NodePool pool;
  private final Executor executor;
  private final AtomicBoolean begun;
  private final boolean enabled;

  private volatile boolean closed;
  private volatile @Nullable AsyncCursor<List<RingNode>> watched;
  private volatile @Nullable NodeConnection node;

  /** Belongs to the one watch at a time. */
  private int failures;

  /**
   * A watcher that has not begun.
   *
   * @param executor watches again after a pause
   * @param enabled false: it never begins
   */
  RingWatcher(NodePool pool, Executor executor, boolean enabled) {
    this.pool = pool;
    this.executor = executor;
    this.begun = new AtomicBoolean(!enabled);
    this.enabled = enabled;
  }

  /** Whether the ring matters to this client. */
  boolean enabled() {
    return enabled;
  }

  /** Begins, unless that has been done. */
  void begin() {
    if (!begun.get() && begun.compareAndSet(false, true)) {
      watch();
    }
  }

  private void watch() {
    if (closed) {
      return;
    }
    NodeConnection shows = pool.pick(List.of());
    AsyncCursor<List<RingNode>> ring = AsyncCluster.watchRing(shows.quietChannel());
    node = shows;
    watched = ring;
    if (closed) {
      ring.close();
      return;
    }
    read(ring, new HashMap<>());
  }

  private void read(AsyncCursor<List<RingNode>> ring, Map<String, RingNode> nodes) {
    CompletableFuture<List<List<RingNode>>> news = ring.next();
    var unused =
        news.whenComplete(
            (changes, failure) -> {
              if (failure != null || changes.isEmpty()) {
                ring.close();
                later(failure);
                return;
              }
              try {
                failures = 0;
                for (List<RingNode> changed : changes) {
                  changed.forEach(each -> nodes.put(each.endpoint().nodeId(), each));
                }
                nodes.values().removeIf(each -> each.state() == RingNode.State.LEFT);
                pool.ringIs(nodes.values());
                read(ring, nodes);
              } catch (RuntimeException | Error e) {
                // As when a channel cannot be made: without another look nothing would be learned.
                ring.close();
                later(e);
              }
            });
  }

  private void later(@Nullable Throwable failure) {
    if (closed) {
      return;
    }
    failures = Math.min(failures + 1, MAX_DOUBLINGS);
    LOGGER.log(System.Logger.Level.DEBUG, "the ring is not watched for a moment", failure);
    long most = FIRST_PAUSE_MILLIS << failures;
    CompletableFuture.delayedExecutor(
            most / 2 + ThreadLocalRandom.current().nextLong(most / 2),
            TimeUnit.MILLISECONDS,
            executor)
        .execute(this::watch);
  }

  /** Has another node show the ring, if it is this one: it may see a minority of it. */
  void leave(NodeConnection minority) {
    AsyncCursor<List<RingNode>> current = watched;
    if (node == minority && current != null) {
      current.close();
    }
  }

  void close() {
    closed = true;
    AsyncCursor<List<RingNode>> current = watched;
    if (current != null) {
      current.close();
    }
  }
}
