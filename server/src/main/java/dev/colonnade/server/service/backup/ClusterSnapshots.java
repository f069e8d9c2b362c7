package dev.colonnade.server.service.backup;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.admin.NodeOperations.WorkProgress;
import dev.colonnade.server.service.backup.SnapshotCodec.Action;
import dev.colonnade.server.service.backup.SnapshotCodec.Asked;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.service.consistency.PeerFailures;
import dev.colonnade.server.service.consistency.Replicas;
import dev.colonnade.server.service.consistency.StorageFailures;
import dev.colonnade.server.storage.engine.Snapshots;
import dev.colonnade.server.storage.snapshot.SnapshotAccountField;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import dev.colonnade.server.storage.snapshot.SnapshotRefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes, lists and clears snapshots, on this node or on all nodes at once.
 *
 * <p>For the whole cluster every node is asked at the same moment and stamps its snapshot with the
 * same time. Each holds all writes that were acknowledged before: one that is acknowledged by some
 * replicas is in their snapshots. Nodes that are down, or fail, are named; what others did stays.
 *
 * <p>Thread-safe; never blocks.
 */
public final class ClusterSnapshots implements SnapshotOperations {

  /** How long a node may take; a large store is read once for its checksums. */
  private static final Duration TAKE_LIMIT = Duration.ofHours(12);

  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final SnapshotService local;
  private final ClusterView cluster;
  private final PeerClient peers;
  private final Clock clock;

  /**
   * Connects the snapshots of this node with those of others.
   *
   * @param accounts of the cluster, as this node knows them now
   * @param clock stamps snapshots
   */
  public ClusterSnapshots(
      Snapshots snapshots,
      Supplier<Schema> schema,
      Supplier<List<SnapshotAccountField>> accounts,
      ClusterView cluster,
      PeerClient peers,
      Clock clock) {
    this.local = new SnapshotService(snapshots, schema, accounts, cluster);
    this.cluster = cluster;
    this.peers = peers;
    this.clock = clock;
  }

  /** Registers the handler of other nodes' requests; call before the messenger starts. */
  public void register(Messenger messenger) {
    messenger.handle(Verb.SNAPSHOT, this::answer);
  }

  @Override
  public CompletableFuture<SnapshotAnswers> take(
      String name, List<FamilyId> families, boolean clusterWide, Consumer<WorkProgress> progress) {
    try {
      SnapshotDirectory.requireName(name);
    } catch (SnapshotRefusedException refused) {
      return CompletableFuture.failedFuture(refused);
    }
    Asked asked = new Asked(Action.TAKE, name, clock.wallMicros(), families);
    return ask(asked, clusterWide, TAKE_LIMIT, progress);
  }

  @Override
  public CompletableFuture<SnapshotAnswers> list(boolean clusterWide) {
    return ask(new Asked(Action.LIST, "", 0, List.of()), clusterWide, LIMIT, step -> {});
  }

  @Override
  public CompletableFuture<SnapshotAnswers> clear(String name, boolean clusterWide) {
    try {
      SnapshotDirectory.requireName(name);
    } catch (SnapshotRefusedException refused) {
      return CompletableFuture.failedFuture(refused);
    }
    return ask(new Asked(Action.CLEAR, name, 0, List.of()), clusterWide, LIMIT, step -> {});
  }

  private CompletableFuture<SnapshotAnswers> ask(
      Asked asked, boolean clusterWide, Duration limit, Consumer<WorkProgress> progress) {
    if (!clusterWide) {
      CompletableFuture<List<NodeSnapshot>> here = here(asked, progress);
      CompletableFuture<SnapshotAnswers> answer = new CompletableFuture<>();
      Then.whenDone(answer, (done, failure) -> here.cancel(false));
      Then.whenDone(
          here,
          answer,
          (snapshots, failure) -> {
            if (failure == null) {
              answer.complete(new SnapshotAnswers(ofNode(cluster.self(), snapshots), List.of()));
            } else {
              answer.completeExceptionally(StorageFailures.translate(failure));
            }
          });
      return answer;
    }
    return everywhere(asked, clock.monotonicNanos() + limit.toNanos(), progress);
  }

  private CompletableFuture<SnapshotAnswers> everywhere(
      Asked asked, long deadlineNanos, Consumer<WorkProgress> progress) {
    byte[] body = SnapshotCodec.encode(asked);
    Map<RingNode, CompletableFuture<List<NodeSnapshot>>> answers = new LinkedHashMap<>();
    for (Topology.Place place : cluster.topology().places()) {
      RingNode node = place.node();
      if (node.id().equals(cluster.nodeId())) {
        answers.put(node, here(asked, step -> {}));
      } else if (place.alive()) {
        answers.put(
            node,
            peers
                .request(Replicas.peer(node), Verb.SNAPSHOT, body, deadlineNanos)
                .thenApply(ClusterSnapshots::decode));
      } else {
        answers.put(
            node,
            CompletableFuture.failedFuture(
                new PeerFailure(PeerFailure.Code.NOT_SENT, "the node is down")));
      }
    }
    AtomicInteger ended = new AtomicInteger();
    Counted counted = new Counted(progress, asked.name(), answers.size());
    for (CompletableFuture<List<NodeSnapshot>> each : answers.values()) {
      Then.whenDone(each, (done, failure) -> counted.ended(ended.incrementAndGet()));
    }
    CompletableFuture<SnapshotAnswers> answer = new CompletableFuture<>();
    Then.whenDone(
        answer,
        (done, failure) -> {
          if (answer.isCancelled()) {
            answers.values().forEach(each -> each.cancel(false));
          }
        });
    Then.whenDone(
        CompletableFuture.allOf(answers.values().toArray(new CompletableFuture<?>[0])),
        answer,
        (done, failure) -> judge(asked, answers, answer));
    return answer;
  }

  /** Reports how many nodes have ended, one call at a time. */
  private record Counted(Consumer<WorkProgress> progress, String name, int nodes) {
    synchronized void ended(int count) {
      progress.accept(new WorkProgress("nodes", count, nodes, name));
    }
  }

  private static void judge(
      Asked asked,
      Map<RingNode, CompletableFuture<List<NodeSnapshot>>> answers,
      CompletableFuture<SnapshotAnswers> answer) {
    List<SnapshotAnswers.OfNode> snapshots = new ArrayList<>();
    List<SnapshotAnswers.Failure> failed = new ArrayList<>();
    answers.forEach(
        (node, each) ->
            Then.whenDone(
                each,
                (found, failure) -> {
                  if (failure == null) {
                    snapshots.addAll(ofNode(node, found));
                    return;
                  }
                  Throwable cause = StorageFailures.translate(Errors.unwrap(failure));
                  if (!isAbsent(asked, cause)) {
                    failed.add(new SnapshotAnswers.Failure(node, words(cause)));
                  }
                }));
    if (asked.action() == Action.CLEAR && snapshots.isEmpty() && failed.isEmpty()) {
      answer.completeExceptionally(
          new SnapshotRefusedException("no node has a snapshot named '" + asked.name() + "'"));
      return;
    }
    answer.complete(new SnapshotAnswers(snapshots, failed));
  }

  /** Whether a node had nothing to clear. */
  private static boolean isAbsent(Asked asked, Throwable cause) {
    return asked.action() == Action.CLEAR
        && (cause instanceof SnapshotRefusedException
            || (cause instanceof PeerFailure peer && peer.code() == PeerFailure.Code.REFUSED));
  }

  private static String words(Throwable cause) {
    @Nullable String message = cause.getMessage();
    return message == null ? cause.toString() : message;
  }

  private static List<SnapshotAnswers.OfNode> ofNode(RingNode node, List<NodeSnapshot> snapshots) {
    return snapshots.stream().map(each -> new SnapshotAnswers.OfNode(node, each)).toList();
  }

  private static List<NodeSnapshot> decode(byte[] body) {
    try {
      return SnapshotCodec.decodeSnapshots(body);
    } catch (CorruptDataException e) {
      throw new PeerFailure(
          PeerFailure.Code.PROTOCOL, "the answer about snapshots cannot be read: " + e, e);
    }
  }

  private CompletableFuture<List<NodeSnapshot>> here(Asked asked, Consumer<WorkProgress> progress) {
    return switch (asked.action()) {
      case TAKE -> {
        CompletableFuture<NodeSnapshot> taken =
            local.take(asked.name(), asked.createdMicros(), asked.families(), progress);
        CompletableFuture<List<NodeSnapshot>> answer = taken.thenApply(List::of);
        Then.whenDone(answer, (done, failure) -> taken.cancel(false));
        yield answer;
      }
      case LIST -> local.list();
      case CLEAR -> local.clear(asked.name()).thenApply(List::of);
    };
  }

  private CompletableFuture<byte[]> answer(Request request) {
    Asked asked;
    try {
      asked = SnapshotCodec.decodeAsked(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.PROTOCOL, "a request about snapshots that cannot be read: " + e, e));
    }
    CompletableFuture<List<NodeSnapshot>> done = here(asked, step -> {});
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Then.whenDone(answer, (sent, failure) -> done.cancel(false));
    Then.whenDone(
        done,
        answer,
        (snapshots, failure) -> {
          if (failure == null) {
            answer.complete(SnapshotCodec.encodeSnapshots(snapshots));
          } else {
            answer.completeExceptionally(translated(Errors.unwrap(failure)));
          }
        });
    return answer;
  }

  private static Throwable translated(Throwable failure) {
    return failure instanceof SnapshotRefusedException
        ? new PeerFailure(PeerFailure.Code.REFUSED, words(failure), failure)
        : PeerFailures.translate(failure);
  }
}
