package dev.colonnade.server.service.schemasync;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.service.consistency.Deadlines;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.service.consistency.PeerFailures;
import dev.colonnade.server.service.consistency.Replicas;
import dev.colonnade.server.service.consistency.SchemaStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Truncates a column family on all nodes, in two steps:
 *
 * <ol>
 *   <li>Ask every node for a number greater than that of any truncation it knows. If one node does
 *       not answer, the truncation fails and nothing has changed.
 *   <li>Have every node apply the truncation with the greatest of these numbers.
 * </ol>
 *
 * <p>A node takes the second step only from the node that asked it for a number, while that one
 * waits: see {@link TruncationProposals}.
 *
 * <p>The truncation is part of the schema. A node that misses the second step applies the
 * truncation when gossip shows that schemas differ.
 *
 * <p>Writes, hints, read-repair corrections, reads and streams carry the number of the last
 * truncation that their sender knows. Writes that were in flight during the truncation, or were
 * stored before it, therefore bring nothing back.
 *
 * <p>Thread-safe; never blocks.
 */
public final class Truncation {

  /** What a node is asked to do. */
  enum StepKind {
    /** Name a number greater than that of every truncation that it knows. */
    PROPOSE,
    /** Apply the truncation. */
    APPLY
  }

  /**
   * One step of a truncation on one node.
   *
   * @param number of the truncation, in microseconds since 1970; 0 in the request for a proposal
   */
  record TruncationStep(StepKind kind, FamilyId family, long number) {}

  private final LocalSchema schema;
  private final ClusterView cluster;
  private final PeerClient peers;
  private final Clock clock;
  private final Deadlines deadlines;
  private final CoordinatorSettings settings;
  private final TruncationProposals proposals;

  /**
   * Truncates this node's families and those of the others.
   *
   * @param schema of this node
   */
  public Truncation(
      LocalSchema schema,
      ClusterView cluster,
      PeerClient peers,
      Clock clock,
      Scheduler scheduler,
      CoordinatorSettings settings) {
    this.schema = schema;
    this.cluster = cluster;
    this.peers = peers;
    this.clock = clock;
    this.deadlines = new Deadlines(clock, scheduler, settings.timeout());
    this.settings = settings;
    this.proposals = new TruncationProposals(clock);
  }

  /** Changes how long truncations take that begin from now on, if their caller has no deadline. */
  public void timeout(Duration changed) {
    deadlines.timeout(changed);
  }

  /** Registers the handlers of other nodes' requests; call before the messenger starts. */
  public void register(Messenger messenger) {
    messenger.handle(Verb.TRUNCATE, this::take);
  }

  /** As {@link SchemaStore#truncate}. */
  CompletableFuture<Void> everywhere(ColumnFamily family, long deadlineNanos) {
    if (deadlines.isOver(deadlineNanos)) {
      return CompletableFuture.failedFuture(Deadlines.tooLate(Consistency.ALL));
    }
    List<RingNode> nodes = new ArrayList<>();
    int alive = 0;
    for (Topology.Place place : cluster.topology().places()) {
      nodes.add(place.node());
      alive += place.alive() ? 1 : 0;
    }
    if (alive < nodes.size()) {
      return CompletableFuture.failedFuture(
          new CoordinationException.NotEnoughReplicas(Consistency.ALL, nodes.size(), alive));
    }
    long limitNanos = deadlines.ofReplicas(deadlineNanos, settings);
    return ofAll(nodes, new TruncationStep(StepKind.PROPOSE, family.id(), 0), limitNanos)
        .thenCompose(
            number ->
                ofAll(nodes, new TruncationStep(StepKind.APPLY, family.id(), number), limitNanos))
        .thenApply(number -> null);
  }

  /**
   * Sends a step to all nodes; completes with the greatest answer, fails unless all have answered.
   */
  private CompletableFuture<Long> ofAll(
      List<RingNode> nodes, TruncationStep step, long limitNanos) {
    byte[] body = TruncationCodec.encode(step);
    Map<String, CompletableFuture<Long>> answers = new LinkedHashMap<>();
    for (RingNode node : nodes) {
      answers.put(
          node.id(),
          node.id().equals(cluster.nodeId())
              ? deadlines.limit(here(step), Consistency.ALL, limitNanos)
              : peers
                  .request(Replicas.peer(node), Verb.TRUNCATE, body, limitNanos)
                  .thenApply(Truncation::number));
    }
    CompletableFuture<Long> told = new CompletableFuture<>();
    Then.whenDone(
        CompletableFuture.allOf(answers.values().toArray(new CompletableFuture<?>[0])),
        (done, failure) -> judge(answers, told));
    return told;
  }

  private static void judge(
      Map<String, CompletableFuture<Long>> answers, CompletableFuture<Long> told) {
    List<String> failures = new ArrayList<>();
    List<Throwable> causes = new ArrayList<>();
    long[] greatest = new long[1];
    answers.forEach(
        (node, answer) -> {
          Then.whenDone(
              answer,
              (number, failure) -> {
                if (failure != null) {
                  causes.add(Errors.unwrap(failure));
                  failures.add(node + ": " + Errors.unwrap(failure).getMessage());
                } else {
                  greatest[0] = Math.max(greatest[0], number);
                }
              });
        });
    if (failures.isEmpty()) {
      told.complete(greatest[0]);
    } else if (answers.size() == 1) {
      told.completeExceptionally(causes.get(0));
    } else {
      told.completeExceptionally(
          new CoordinationException.ReplicaTimeout(
              Consistency.ALL, answers.size(), answers.size() - failures.size(), failures));
    }
  }

  private CompletableFuture<Long> here(TruncationStep step) {
    if (step.kind() == StepKind.PROPOSE) {
      try {
        return CompletableFuture.completedFuture(
            schema.current().nextTruncation(step.family(), clock.wallMicros()));
      } catch (SchemaException dropped) {
        return CompletableFuture.failedFuture(dropped);
      }
    }
    return schema.truncateHere(step.family(), step.number()).thenApply(version -> step.number());
  }

  private CompletableFuture<byte[]> take(Request request) {
    TruncationStep step;
    try {
      step = TruncationCodec.decodeStep(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(PeerFailure.Code.PROTOCOL, "a truncation that cannot be read: " + e, e));
    }
    ColumnFamily family = schema.current().family(step.family()).orElse(null);
    if (family == null || family.keyspace().equals(SystemKeyspace.NAME)) {
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.UNKNOWN_FAMILY,
              "the column family " + step.family() + " is not known here, or was dropped"));
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Then.whenDone(
        Then.called(() -> asked(step, request)),
        answer,
        (known, failure) -> {
          if (failure == null) {
            answer.complete(TruncationCodec.encodeNumber(known));
          } else {
            answer.completeExceptionally(PeerFailures.translate(failure));
          }
        });
    return answer;
  }

  /** Makes the step for another node; throws {@link PeerFailure} if it is not due. */
  private CompletableFuture<Long> asked(TruncationStep step, Request request) {
    String nodeId = request.from().id();
    if (step.kind() == StepKind.APPLY) {
      proposals.check(nodeId, step.family(), step.number());
      return here(step);
    }
    return here(step)
        .thenApply(
            number -> {
              proposals.proposed(nodeId, step.family(), number, request.deadlineNanos());
              return number;
            });
  }

  private static long number(byte[] answer) {
    try {
      return TruncationCodec.decodeNumber(answer);
    } catch (CorruptDataException e) {
      throw new PeerFailure(
          PeerFailure.Code.PROTOCOL, "the answer to a truncation cannot be read: " + e, e);
    }
  }
}
