package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.cluster.ring.RingNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request to several replicas and waits until enough of them have answered. If a replica
 * fails, or is slower than it usually is, a spare replica is asked as well.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>A spare replaces a replica only if its answer counts towards the same part of the
 *       requirement.
 *   <li>No replica is asked twice.
 *   <li>The request fails as soon as the answers still expected and the spares cannot meet the
 *       requirement. It is not decided while {@link #begin} is still sending.
 *   <li>The lock is never held while a replica is asked or the result is completed.
 * </ul>
 *
 * <p>Thread-safe. Answers arrive on any thread; hedging runs on the timer stage.
 *
 * @param <T> what a replica answers
 */
public final class ReplicaRequest<T> {

  /** Sends the request to one replica. Must not block; may be called from any thread. */
  @FunctionalInterface
  public interface Sender<T> {
    /**
     * Sends the request.
     *
     * @param instead true for a speculative or retry request to a spare replica
     */
    CompletableFuture<T> send(RingNode node, boolean instead);
  }

  /** What one replica answered. */
  public record ReplicaAnswer<T>(RingNode node, T value) {}

  /**
   * The answers in the order in which they came, and the replicas that were asked for them.
   *
   * @param late how many spare replicas were asked because another one was late
   */
  public record ReplicaAnswers<T>(List<ReplicaAnswer<T>> all, AskedReplicas replicas, int late) {}

  /** What all requests of one coordinator share. */
  public record RequestContext(
      Clock clock,
      ReplicaSorter sorter,
      SpeculativeRetry speculativeRetry,
      ReadCounters counters) {}

  /** A replica that was asked and has not answered yet. */
  private record InFlight<T>(RingNode node, CompletableFuture<T> answer, long sinceNanos) {}

  private final RequestContext tools;
  private final Consistency consistency;
  private final ConsistencyRequirement requirement;
  private final Sender<T> sender;
  private final Predicate<List<ReplicaAnswer<T>>> enough;
  private final CompletableFuture<ReplicaAnswers<T>> result = new CompletableFuture<>();

  private final AckTracker count;
  private final Queue<RingNode> spares;
  private final Map<String, InFlight<T>> open = new LinkedHashMap<>();
  private final List<ReplicaAnswer<T>> answers = new ArrayList<>();
  private final List<String> askedIds = new ArrayList<>();
  private final List<String> failures = new ArrayList<>(0);
  private @Nullable Throwable firstFailure;
  private int asking;
  private int late;

  /** Set before the request is sent. */
  private @Nullable CallTrace trace;

  /**
   * A request that has not been sent yet.
   *
   * @param spares replicas to ask, one after the other, when others fail or are slow
   * @param enough what the answers must fulfil besides the requirement
   */
  public ReplicaRequest(
      RequestContext tools,
      Consistency consistency,
      ConsistencyRequirement requirement,
      List<RingNode> spares,
      Sender<T> way,
      Predicate<List<ReplicaAnswer<T>>> enough) {
    this.tools = tools;
    this.consistency = consistency;
    this.requirement = requirement;
    this.spares = new ArrayDeque<>(spares);
    this.sender = way;
    this.enough = enough;
    this.count = new AckTracker(requirement);
  }

  /**
   * Sends the request to these replicas.
   *
   * @return the answers so far, once there are enough
   */
  public CompletableFuture<ReplicaAnswers<T>> begin(List<RingNode> first) {
    synchronized (this) {
      asking++;
      first.forEach(count::expect);
    }
    for (RingNode node : first) {
      send(node, false);
    }
    synchronized (this) {
      asking--;
    }
    settle();
    watch(first);
    return result;
  }

  /** Starts the hedge timer for these replicas, as long as there are spares. */
  private void watch(List<RingNode> nodes) {
    boolean mayBeLate;
    synchronized (this) {
      mayBeLate = !spares.isEmpty() && nodes.stream().anyMatch(node -> open.containsKey(node.id()));
    }
    if (mayBeLate && !result.isDone()) {
      long delay = tools.sorter().hedgeDelayNanos(nodes);
      tools
          .speculativeRetry()
          .watch(tools.clock().monotonicNanos() + delay, result::isDone, () -> onLate(nodes));
    }
  }

  /** Records in a trace which replicas are late; null for none. Call before {@link #begin}. */
  public ReplicaRequest<T> traced(@Nullable CallTrace of) {
    trace = of;
    return this;
  }

  /**
   * Cancels the requests still in flight once the result is complete or the caller has cancelled
   * it.
   */
  public ReplicaRequest<T> cancelling() {
    Then.whenDone(result, (done, failure) -> cancelRest());
    return this;
  }

  private void cancelRest() {
    List<InFlight<T>> rest;
    synchronized (this) {
      rest = new ArrayList<>(open.values());
    }
    rest.forEach(asked -> asked.answer().cancel(false));
  }

  private void send(RingNode node, boolean instead) {
    long now = tools.clock().monotonicNanos();
    tools.sorter().asked(node);
    synchronized (this) {
      askedIds.add(node.id());
    }
    CompletableFuture<T> answer = begun(node, instead);
    synchronized (this) {
      open.put(node.id(), new InFlight<>(node, answer, now));
    }
    Then.whenDone(answer, (value, failure) -> onAnswer(node, now, value, failure));
    if (result.isDone()) {
      // The result was complete before this request was sent.
      answer.cancel(false);
    }
  }

  private CompletableFuture<T> begun(RingNode node, boolean instead) {
    try {
      return sender.send(node, instead);
    } catch (RuntimeException | Error bug) {
      // Counts as a failure of this replica, so that a spare is asked and the request always ends.
      return CompletableFuture.failedFuture(bug);
    }
  }

  private void onAnswer(
      RingNode node, long sinceNanos, @Nullable T value, @Nullable Throwable failure) {
    RingNode next = null;
    tools.sorter().over(node);
    synchronized (this) {
      open.remove(node.id());
      if (value != null) {
        count.answered(node);
        answers.add(new ReplicaAnswer<>(node, value));
      } else {
        count.failed(node);
        Throwable cause = failure == null ? new IllegalStateException("no answer") : failure;
        cause = Errors.unwrap(cause);
        firstFailure = firstFailure == null ? cause : firstFailure;
        failures.add(node.id() + ": " + cause.getMessage());
        next = result.isDone() ? null : takeSpareFor(node);
      }
    }
    if (value != null) {
      tools.sorter().answered(node, tools.clock().monotonicNanos() - sinceNanos);
    }
    if (next != null) {
      send(next, true);
      watch(List.of(next));
    }
    settle();
  }

  /** Takes a spare whose answer counts where the missed replica's answer would have counted. */
  private synchronized @Nullable RingNode takeSpareFor(RingNode missed) {
    Iterator<RingNode> rest = spares.iterator();
    while (rest.hasNext()) {
      RingNode next = rest.next();
      if (requirement.countTogether(missed, next)) {
        rest.remove();
        count.expect(next);
        return next;
      }
    }
    return null;
  }

  /**
   * Asks one spare for each of these replicas that has not answered yet, as long as there are
   * spares. The spares are watched as well.
   */
  private void onLate(List<RingNode> nodes) {
    List<RingNode> next = new ArrayList<>();
    synchronized (this) {
      if (result.isDone()) {
        return;
      }
      long now = tools.clock().monotonicNanos();
      for (RingNode node : nodes) {
        InFlight<T> asked = open.get(node.id());
        if (asked == null) {
          continue;
        }
        tools.sorter().late(asked.node(), now - asked.sinceNanos());
        if (trace != null) {
          trace.addSince(CallTrace.Step.REPLICA_LATE, asked.sinceNanos(), node.id(), "");
        }
        RingNode spare = takeSpareFor(asked.node());
        if (spare != null) {
          next.add(spare);
        }
      }
      late += next.size();
    }
    if (!next.isEmpty()) {
      tools.counters().late.increment();
    }
    next.forEach(node -> send(node, true));
    watch(next);
  }

  private void settle() {
    ReplicaAnswers<T> met = null;
    Throwable verdict = null;
    synchronized (this) {
      if (asking > 0 || result.isDone()) {
        return;
      }
      boolean lastHope = open.isEmpty() && spares.isEmpty();
      if (count.isMet() && (lastHope || enough.test(Collections.unmodifiableList(answers)))) {
        met = new ReplicaAnswers<>(List.copyOf(answers), asked(), late);
      } else if (count.isHopeless() && spares.stream().noneMatch(count::lacks)) {
        verdict = verdict();
      }
    }
    if (met != null) {
      result.complete(met);
    } else if (verdict != null) {
      result.completeExceptionally(verdict);
    }
  }

  private AskedReplicas asked() {
    return new AskedReplicas(askedIds, answers.stream().map(answer -> answer.node().id()).toList());
  }

  /**
   * Picks the most informative failure: damaged data or a bug if there is one, otherwise a timeout
   * that says how many replicas answered.
   */
  private Throwable verdict() {
    Throwable first = firstFailure;
    boolean tellsAll =
        first instanceof CoordinationException.Corrupt
            || (first instanceof CoordinationException
                && !(first instanceof CoordinationException.ReplicaTimeout)
                && failures.size() == 1)
            || first instanceof Error;
    return first != null && tellsAll
        ? first
        : new CoordinationException.ReplicaTimeout(
            consistency, requirement.required(), count.received(), failures);
  }
}
