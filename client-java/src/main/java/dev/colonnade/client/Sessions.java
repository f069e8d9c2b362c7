package dev.colonnade.client;

import io.grpc.Channel;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The session of a client with its node: opens it with the first call that could use one, and again
 * after it ended. No call waits for that; while there is no session, calls are unary. Thread-safe.
 */
final class Sessions implements Session.Owner {

  /** How long a node that has no sessions, because it is older, is not asked for one again. */
  static final long UNSUPPORTED_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The pause before the next attempt; it doubles with each that fails, up to the longest. */
  static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MAX_DOUBLINGS = 7;

  private final Channel channel;
  private final Executor network;
  private final boolean enabled;
  private final LongSupplier nanoTime;

  private volatile @Nullable Session open;

  // The fields below are guarded by this object's monitor.
  private @Nullable Session attempt;

  /** Those that take no more calls and whose streams have not ended. */
  private final Set<Session> leaving = new HashSet<>();

  private boolean closed;
  private int failures;
  private volatile long nextAttemptNanos;

  /**
   * No session yet.
   *
   * @param network as {@link Session} takes it
   * @param enabled false: there is never one
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  Sessions(Channel channel, Executor network, boolean enabled, LongSupplier nanoTime) {
    this.channel = channel;
    this.network = network;
    this.enabled = enabled;
    this.nanoTime = nanoTime;
    this.nextAttemptNanos = nanoTime.getAsLong();
  }

  /** A session that takes calls; null if there is none now. */
  @Nullable Session current() {
    Session session = open;
    if (session != null && session.isOpen()) {
      return session;
    }
    if (enabled && nanoTime.getAsLong() - nextAttemptNanos >= 0) {
      attempt();
    }
    return null;
  }

  /** Whether there is a session that takes calls. */
  boolean isOpen() {
    Session session = open;
    return session != null && session.isOpen();
  }

  /** Whether the next attempt to open a session is still to come. */
  synchronized boolean isPausing() {
    return attempt == null && open == null;
  }

  private void attempt() {
    Session session;
    synchronized (this) {
      if (closed
          || attempt != null
          || open != null
          || nanoTime.getAsLong() - nextAttemptNanos < 0) {
        return;
      }
      session = new Session(channel, network, this);
      attempt = session;
    }
    session.open();
  }

  @Override
  public synchronized void opened(Session session) {
    if (session == attempt) {
      attempt = null;
      open = session;
    }
  }

  @Override
  public synchronized void left(Session session) {
    if (forget(session, Status.UNAVAILABLE)) {
      leaving.add(session);
    }
  }

  @Override
  public synchronized void ended(Session session, Status status) {
    leaving.remove(session);
    boolean unused = forget(session, status);
  }

  /**
   * The next attempt comes after a pause.
   *
   * @return false if the session had left or ended before
   */
  private boolean forget(Session session, Status why) {
    boolean worked = session == open;
    if (!worked && session != attempt) {
      return false;
    }
    open = null;
    attempt = null;
    failures = worked ? 0 : Math.min(failures + 1, MAX_DOUBLINGS);
    long pause =
        why.getCode() == Status.Code.UNIMPLEMENTED
            ? UNSUPPORTED_NANOS
            : Math.min(FIRST_PAUSE_NANOS << failures, LONGEST_PAUSE_NANOS);
    // Clients that lost the same node at the same moment do not all come back at the same moment.
    nextAttemptNanos =
        nanoTime.getAsLong() + pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
    return true;
  }

  /** Takes no more calls; those that were sent are still answered. */
  void close() {
    List<Session> sessions;
    synchronized (this) {
      closed = true;
      sessions = new ArrayList<>(leaving);
      if (open != null) {
        sessions.add(open);
      }
      if (attempt != null) {
        sessions.add(attempt);
      }
    }
    sessions.forEach(Session::close);
  }
}
