package dev.colonnade.client;

import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides where a call goes, and whether it is made on another node if it failed on one.
 *
 * <ul>
 *   <li>Only if that cannot do harm: reads, and writes that carry their timestamps and so change
 *       nothing the second time; other calls only if the node says that they were not applied.
 *   <li>Only if another node may do better: the connection broke, the node does not serve, it sees
 *       too few replicas, or it has too much to do.
 *   <li>A call is made again a limited number of times, within its own deadline.
 *   <li>All calls together share a budget, so that a cluster that fails for everybody does not get
 *       several times the calls: each retry takes one from it, and five calls that succeed give one
 *       back.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class Retries {

  /** The most retries in reserve: all calls of a busy client may lose one node at one moment. */
  static final int BUDGET = 2_000;

  private static final int SUCCESSES_PER_RETRY = 5;

  /** For how long a node that failed is avoided at first; longer each time until it answers. */
  static final Duration AVOIDED = Duration.ofSeconds(1);

  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 1_000;

  /** No call has room for more than this, and the pauses would get too long. */
  private static final int MAX_DOUBLINGS = 6;

  private final NodePool pool;
  private final Replicas replicas;
  private final Consumer<NodeConnection> onMinority;
  private final int attemptsAfterFirst;
  private final Budget budget = new Budget(BUDGET, SUCCESSES_PER_RETRY);
  private final LongAdder made = new LongAdder();

  /**
   * Nothing has failed yet.
   *
   * @param onMinority takes a node that sees too few others
   * @param attemptsAfterFirst how many times one call is made again at most
   */
  Retries(
      NodePool pool,
      Replicas replicas,
      Consumer<NodeConnection> onMinority,
      int attemptsAfterFirst) {
    this.onMinority = onMinority;
    this.pool = pool;
    this.replicas = replicas;
    this.attemptsAfterFirst = attemptsAfterFirst;
  }

  /** Where a call goes first. */
  NodeConnection first(Transport.Request<?, ?> request) {
    return pool.pick(List.of(), replicas.of(request.message()));
  }

  /** A call has succeeded. */
  void succeeded(NodeConnection node) {
    node.isSound();
    budget.earn();
  }

  /** How many calls were made again so far. */
  long made() {
    return made.sum();
  }

  /** Where a call goes next, and after which pause. */
  record Next(NodeConnection node, Duration pause) {}

  /** The failures of one call. For one thread at a time. */
  final class OfCall {

    private final List<NodeConnection> tried = new ArrayList<>(2);

    /** Whether an attempt may have been applied. */
    private boolean mayBeApplied;

    /** The failure of the whole call, whose last attempt failed like this. */
    ColonnadeException failure(ColonnadeException last) {
      return mayBeApplied ? Errors.afterOneThatMayHaveBeenApplied(last) : last;
    }

    /** Takes a failure; whether the call may end well on another node, or there again. */
    boolean mayEndWell(
        Transport.Request<?, ?> request, NodeConnection node, ColonnadeException failure) {
      mayBeApplied |= request.ifUnstated() != Applied.NO && failure.applied() != Applied.NO;
      boolean ofTheNode = isOfTheNode(failure);
      boolean ofItsView = failure.reason().equals("NOT_ENOUGH_REPLICAS");
      if (ofTheNode || ofItsView || isSilent(failure)) {
        node.avoid(AVOIDED);
      }
      if (ofItsView) {
        onMinority.accept(node);
      }
      tried.add(node);
      return (ofTheNode || ofItsView) && isHarmless(request, failure) && pool.hasChoice();
    }

    /**
     * Where the call goes after a failure that another attempt may mend.
     *
     * @return null if that is to be its last
     */
    @Nullable Next next(Transport.Request<?, ?> request, ColonnadeException failure) {
      int failures = tried.size();
      if (failures > attemptsAfterFirst) {
        return null;
      }
      NodeConnection next = pool.pick(tried, replicas.of(request.message()));
      Duration pause = tried.contains(next) ? pause(failures, failure) : Duration.ZERO;
      if (request.deadline().timeRemaining(TimeUnit.NANOSECONDS) <= pause.toNanos()) {
        return null;
      }
      if (!budget.take()) {
        return null;
      }
      made.increment();
      return new Next(next, pause);
    }
  }

  /** The pause before a call goes to a node where it has been: what the node asks for, or more. */
  private static Duration pause(int failures, ColonnadeException failure) {
    long most =
        Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures - 1, MAX_DOUBLINGS));
    Duration own = Duration.ofMillis(most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1));
    return failure instanceof OverloadedException overloaded
        ? overloaded.retryDelay().map(asked -> asked.plus(own)).orElse(own)
        : own;
  }

  /** Whether it is this node that cannot do it now. */
  private static boolean isOfTheNode(ColonnadeException failure) {
    return failure.reason().equals("OVERLOADED")
        || failure.reason().equals("NODE_NOT_READY")
        || (failure instanceof UnavailableException
            && failure.getCause() != null
            && Errors.isOfTransport(failure.getCause()));
  }

  /** Whether nothing at all was heard of the node within the deadline: it may stand still. */
  private static boolean isSilent(ColonnadeException failure) {
    return failure.reason().equals(Status.Code.DEADLINE_EXCEEDED.name());
  }

  private static boolean isHarmless(Transport.Request<?, ?> request, ColonnadeException failure) {
    return request.repeatable() || failure.applied() == Applied.NO;
  }
}
