package dev.colonnade.server.service.write;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.service.consistency.AckTracker;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.MutationMessage;
import dev.colonnade.server.service.consistency.Replicas;
import dev.colonnade.server.service.consistency.WritePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Writes one row's changes to its replicas and waits for as many acknowledgements as the level
 * requires.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>All replicas that are up are sent the write at once, whatever the level. The level only
 *       decides when the answer completes.
 *   <li>A replica that is down, or fails, gets a hint, even after the answer.
 *   <li>A hint counts as an acknowledgement at level ANY only. A hint for this node's own failed
 *       write never counts.
 *   <li>The exception: if this node is the only replica, there is no hint, and its failure is the
 *       answer's failure.
 * </ul>
 *
 * <p>Thread-safe. Acknowledgements arrive on any thread.
 */
public final class WriteHandler {

  private final WritePlan plan;
  private final Replicas replicas;
  private final HintSink hintSink;
  private final @Nullable CallTrace trace;
  private final CompletableFuture<AskedReplicas> answer = new CompletableFuture<>();
  private final AckTracker count;
  private final List<String> answered = new ArrayList<>();
  private final List<String> failures = new ArrayList<>(0);

  /**
   * A write that was not sent yet.
   *
   * @param trace of the call; null if it is not traced
   */
  public WriteHandler(
      WritePlan plan, Replicas replicas, HintSink hintSink, @Nullable CallTrace trace) {
    this.plan = plan;
    this.replicas = replicas;
    this.hintSink = hintSink;
    this.trace = trace;
    this.count = new AckTracker(plan.requirement());
  }

  /**
   * Sends the write to all replicas.
   *
   * @return completes with the replicas asked once the level is met; fails as soon as it cannot be
   *     met any more, at the deadline at the latest
   */
  public CompletableFuture<AskedReplicas> begin(boolean durable, long deadlineNanos) {
    boolean hintsCount = hintsCount();
    synchronized (this) {
      plan.alive().forEach(count::expect);
      if (hintsCount) {
        plan.dead().forEach(count::expect);
      }
    }
    if (plan.requirement().required() == 0) {
      answer.complete(asked());
    }
    MutationMessage message = new MutationMessage(plan.mutation(), durable);
    byte[] body = null;
    RingNode here = null;
    for (RingNode node : plan.alive()) {
      if (replicas.isSelf(node)) {
        here = node;
        continue;
      }
      body = body == null ? message.encode() : body;
      long asked = asked(node);
      follow(node, asked, replicas.write(node, body, deadlineNanos, trace));
    }
    plan.dead().forEach(this::keep);
    if (here != null) {
      long asked = asked(here);
      follow(here, asked, replicas.writeHere(message, plan.consistency(), deadlineNanos, trace));
    }
    return answer;
  }

  private boolean hintsCount() {
    return plan.consistency() == Consistency.ANY;
  }

  /** Records that a replica is sent the write; the time is 0 if the call is not traced. */
  private long asked(RingNode node) {
    return trace == null ? 0 : trace.asked(node.id(), "write");
  }

  private void follow(RingNode node, long askedNanos, CompletableFuture<?> write) {
    CallTrace of = trace;
    CompletableFuture<?> sent = of == null ? write : of.ended(node.id(), askedNanos, write);
    if (sent.isDone() && !sent.isCompletedExceptionally()) {
      answered(node);
      return;
    }
    Then.whenDone(
        sent,
        (done, failure) -> {
          if (failure == null) {
            answered(node);
          } else {
            failed(node, Errors.unwrap(failure));
          }
        });
  }

  private void answered(RingNode node) {
    synchronized (this) {
      answered.add(node.id());
    }
    taken(node);
  }

  /** Counts a replica as acknowledged: it has the write, or a hint counts in its place. */
  private void taken(RingNode node) {
    boolean met;
    synchronized (this) {
      count.answered(node);
      met = count.isMet();
    }
    if (met) {
      answer.complete(asked());
    } else {
      endIfHopeless(null);
    }
  }

  /**
   * The replicas asked and answered so far. Replicas that are down are not asked; they get hints.
   */
  private synchronized AskedReplicas asked() {
    return new AskedReplicas(plan.alive().stream().map(RingNode::id).toList(), answered);
  }

  private void failed(RingNode node, Throwable failure) {
    boolean here = replicas.isSelf(node);
    boolean onlyHere = here && plan.alive().size() == 1 && plan.dead().isEmpty();
    synchronized (this) {
      if (!hintsCount() || here) {
        count.failed(node);
      }
      failures.add((here ? "this node" : node.id()) + ": " + failure.getMessage());
    }
    if (!here) {
      keep(node);
    } else if (!onlyHere) {
      // The other replicas may have the write while this node's copy lacks it. A hint on the disk
      // that has just failed does not count as an acknowledgement.
      Futures.ignore(hintSink.keep(node, plan.mutation(), false));
    }
    endIfHopeless(onlyHere ? failure : null);
  }

  /** Writes a hint for a replica; at level ANY the hint counts as its acknowledgement. */
  private void keep(RingNode node) {
    if (trace != null) {
      trace.add(CallTrace.Step.HINT, node.id(), "");
    }
    CompletableFuture<Boolean> kept = hintSink.keep(node, plan.mutation(), hintsCount());
    if (hintsCount()) {
      Then.whenDone(
          kept,
          (done, failure) -> {
            if (Boolean.TRUE.equals(done)) {
              taken(node);
            } else {
              notKept(node);
            }
          });
    }
  }

  private void notKept(RingNode node) {
    synchronized (this) {
      count.failed(node);
    }
    endIfHopeless(null);
  }

  /**
   * Fails the answer when the acknowledgements still expected cannot meet the requirement.
   *
   * @param own this node's failure if its store was the only one to ask: it says more than a count
   */
  private void endIfHopeless(@Nullable Throwable own) {
    Throwable verdict;
    synchronized (this) {
      if (answer.isDone() || !count.isHopeless()) {
        return;
      }
      verdict =
          own != null
              ? own
              : new CoordinationException.ReplicaTimeout(
                  plan.consistency(), plan.requirement().required(), count.received(), failures);
    }
    answer.completeExceptionally(verdict);
  }
}
