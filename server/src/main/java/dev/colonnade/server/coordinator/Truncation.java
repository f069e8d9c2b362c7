package dev.colonnade.server.coordinator;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.net.PeerFailure;
import dev.colonnade.server.net.Request;
import dev.colonnade.server.net.Verb;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.SystemKeyspace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Empties a family on all nodes. All of them have to be alive, also those that have no row of it:
 * any node may hold hints for it, which are void from then on.
 *
 * <p>Thread-safe; never blocks.
 */
public final class Truncation {

  private static final byte[] DONE = new byte[0];

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final ClusterView cluster;
  private final PeerCalls peers;
  private final LostWrites lost;
  private final Deadlines deadlines;
  private final CoordinatorSettings settings;

  /**
   * Empties this node's families and those of the others.
   *
   * @param schema says which families there are on this node
   * @param lost what it keeps for an emptied family is void
   */
  public Truncation(
      StorageEngine engine,
      SchemaStore schema,
      ClusterView cluster,
      PeerCalls peers,
      LostWrites lost,
      Clock clock,
      Scheduler scheduler,
      CoordinatorSettings settings) {
    this.engine = engine;
    this.schema = schema;
    this.cluster = cluster;
    this.peers = peers;
    this.lost = lost;
    this.deadlines = new Deadlines(clock, scheduler);
    this.settings = settings;
  }

  /** Answers other nodes, once the messenger starts. */
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
    byte[] body = encode(family.id());
    Map<String, CompletableFuture<?>> answers = new LinkedHashMap<>();
    for (RingNode node : nodes) {
      answers.put(
          node.id(),
          node.id().equals(cluster.nodeId())
              ? deadlines.limit(here(family.id()), Consistency.ALL, limitNanos)
              : peers.request(Replicas.peer(node), Verb.TRUNCATE, body, limitNanos));
    }
    CompletableFuture<Void> told = new CompletableFuture<>();
    var unused =
        CompletableFuture.allOf(answers.values().toArray(new CompletableFuture<?>[0]))
            .whenComplete((done, failure) -> judge(answers, told));
    return told;
  }

  private static void judge(
      Map<String, CompletableFuture<?>> answers, CompletableFuture<Void> told) {
    List<String> failures = new ArrayList<>();
    List<Throwable> causes = new ArrayList<>();
    answers.forEach(
        (node, answer) -> {
          var unused =
              answer.whenComplete(
                  (done, failure) -> {
                    if (failure != null) {
                      causes.add(PeerFailures.cause(failure));
                      failures.add(node + ": " + PeerFailures.cause(failure).getMessage());
                    }
                  });
        });
    if (failures.isEmpty()) {
      told.complete(null);
    } else if (answers.size() == 1) {
      told.completeExceptionally(causes.get(0));
    } else {
      told.completeExceptionally(
          new CoordinationException.ReplicaTimeout(
              Consistency.ALL, answers.size(), answers.size() - failures.size(), failures));
    }
  }

  /** What is kept for others goes first: it must not bring back what the store has forgotten. */
  private CompletableFuture<Void> here(FamilyId family) {
    return StorageFailures.translated(
        lost.truncated(family).thenCompose(done -> engine.truncate(family)));
  }

  private CompletableFuture<byte[]> take(Request request) {
    FamilyId id;
    try {
      id = decode(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(PeerFailure.Code.PROTOCOL, "a truncation that cannot be read: " + e, e));
    }
    ColumnFamily family = schema.current().family(id).orElse(null);
    if (family == null || family.keyspace().equals(SystemKeyspace.NAME)) {
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.UNKNOWN_FAMILY,
              "the column family " + id + " is not known here, or was dropped"));
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    var unused =
        here(id)
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    answer.complete(DONE);
                  } else {
                    answer.completeExceptionally(PeerFailures.translate(failure));
                  }
                });
    return answer;
  }

  private static byte[] encode(FamilyId family) {
    ByteWriter out = new ByteWriter(2 * Long.BYTES);
    out.writeLong(family.high());
    out.writeLong(family.low());
    return out.toByteArray();
  }

  private static FamilyId decode(byte[] body) throws CorruptDataException {
    ByteReader in = new ByteReader(body);
    FamilyId family = new FamilyId(in.readLong(), in.readLong());
    in.expectEnd("truncation");
    return family;
  }
}
