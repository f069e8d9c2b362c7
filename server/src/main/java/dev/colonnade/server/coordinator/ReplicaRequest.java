package dev.colonnade.server.coordinator;

import dev.colonnade.server.async.Then;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.ring.RingNode;
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
 * One question to several replicas, until enough of them have answered. Where one fails, or takes
 * longer than it usually does, another one is asked as well.
 *
 * <p>Thread-safe.
 *
 * @param <T> what a replica answers
 */
final class ReplicaRequest<T> {

  /** How a replica is asked. Must not block; may be called from any thread. */
  @FunctionalInterface
  interface Sender<T> {
    /**
     * Asks.
     *
     * @param instead whether it stands in for another one
     */
    CompletableFuture<T> send(RingNode node, boolean instead);
  }

  /** What one replica answered. */
  record ReplicaAnswer<T>(RingNode node, T value) {}

  /** Enough answers, in the order in which they came, and who was asked for them. */
  record ReplicaAnswers<T>(List<ReplicaAnswer<T>> all, AskedReplicas replicas) {}

  /** What all questions of one coordinator share. */
  record Context(
      Clock clock,
      ReplicaSorter sorter,
      SpeculativeRetry speculativeRetry,
      ReadCounters counters) {}

  /** A question that has no answer yet. */
  private record InFlight<T>(RingNode node, CompletableFuture<T> answer, long sinceNanos) {}

  private final Context tools;
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

  /**
   * A question that nobody has been asked.
   *
   * @param spares asked one after the other where others fail or are late
   * @param enough what answers have to be besides many enough
   */
  ReplicaRequest(
      Context tools,
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
   * Asks.
   *
   * @return the answers so far, once they are enough
   */
  CompletableFuture<ReplicaAnswers<T>> begin(List<RingNode> first) {
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

  /** Has the lateness of these replicas noticed, as long as others could stand in for them. */
  private void watch(List<RingNode> nodes) {
    boolean mayBeLate;
    synchronized (this) {
      mayBeLate = !spares.isEmpty() && nodes.stream().anyMatch(node -> open.containsKey(node.id()));
    }
    if (mayBeLate && !result.isDone()) {
      long patience = tools.sorter().patienceNanos(nodes);
      tools
          .speculativeRetry()
          .watch(tools.clock().monotonicNanos() + patience, result::isDone, () -> onLate(nodes));
    }
  }

  /** Calls off what has not been answered once the result is there, or nobody wants it. */
  ReplicaRequest<T> cancelling() {
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
      // It was over while this one was asked.
      answer.cancel(false);
    }
  }

  private CompletableFuture<T> begun(RingNode node, boolean instead) {
    try {
      return sender.send(node, instead);
    } catch (RuntimeException | Error bug) {
      // Others are asked, and the question has an end in any case.
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
        cause = PeerFailures.cause(cause);
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

  /** One that can stand in: its answer has to count where the other one's would have. */
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
   * For each of these that is still late another one is asked, as far as there are any; which may
   * be late in turn.
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
        RingNode spare = takeSpareFor(asked.node());
        if (spare != null) {
          next.add(spare);
        }
      }
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
        met = new ReplicaAnswers<>(List.copyOf(answers), asked());
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

  /** What says most: that data is damaged everywhere, else how many answered. */
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
