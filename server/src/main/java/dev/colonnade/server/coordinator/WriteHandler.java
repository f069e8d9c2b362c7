package dev.colonnade.server.coordinator;

import dev.colonnade.server.async.Then;
import dev.colonnade.server.ring.RingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One row's changes on their way to its replicas. All of them are sent at once; the answer is there
 * when enough have taken them. What a replica did not take is kept for it, also after the answer.
 *
 * <p>Thread-safe.
 */
final class WriteHandler {

  private final WritePlan plan;
  private final Replicas replicas;
  private final HintSink hintSink;
  private final CompletableFuture<AskedReplicas> answer = new CompletableFuture<>();
  private final AckTracker count;
  private final List<String> answered = new ArrayList<>();
  private final List<String> failures = new ArrayList<>(0);

  WriteHandler(WritePlan plan, Replicas replicas, HintSink hintSink) {
    this.plan = plan;
    this.replicas = replicas;
    this.hintSink = hintSink;
    this.count = new AckTracker(plan.requirement());
  }

  /**
   * Sends.
   *
   * @return completes when the level is met, with who was asked; fails when it cannot be any more,
   *     at the deadline at the latest
   */
  CompletableFuture<AskedReplicas> begin(boolean durable, long deadlineNanos) {
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
      follow(node, replicas.write(node, body, deadlineNanos));
    }
    plan.dead().forEach(this::keep);
    if (here != null) {
      follow(here, replicas.writeHere(message, plan.consistency(), deadlineNanos));
    }
    return answer;
  }

  private boolean hintsCount() {
    return plan.consistency() == Consistency.ANY;
  }

  private void follow(RingNode node, CompletableFuture<?> sent) {
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
            failed(node, PeerFailures.cause(failure));
          }
        });
  }

  private void answered(RingNode node) {
    synchronized (this) {
      answered.add(node.id());
    }
    taken(node);
  }

  /** It has the write, or a hint for it is as good. */
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

  /** By now; for those that are down the write is kept, and they are not asked. */
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
      // This node's own copy may have missed it while the others took it. A hint on the disk that
      // has just failed does not count as an answer.
      var unused = hintSink.keep(node, plan.mutation(), false);
    }
    endIfHopeless(onlyHere ? failure : null);
  }

  /** Keeps the changes for a replica, which is as good as its answer where any node will do. */
  private void keep(RingNode node) {
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
   * Fails the call when what is still expected cannot be enough.
   *
   * @param own says more than a count could, where this node's store was the only one to ask
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
