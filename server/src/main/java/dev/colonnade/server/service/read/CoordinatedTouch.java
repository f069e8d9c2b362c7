package dev.colonnade.server.service.read;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.service.consistency.Deadlines;
import dev.colonnade.server.service.consistency.ReadPlan;
import dev.colonnade.server.service.consistency.Replicas;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.coordinator.RowToucher;
import dev.colonnade.server.service.replica.PagedTouch;
import dev.colonnade.server.service.replica.TouchMessage;
import dev.colonnade.server.service.replica.TouchRead;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Loads rows into the caches of all replicas that are up.
 *
 * <p>Thread-safe; never blocks.
 */
public final class CoordinatedTouch {

  /** About how many bytes of keys and tokens one message to a node has. */
  private static final long MESSAGE_BYTES = 4L << 20;

  /** The keys that one node is to load by one message. */
  private static final class KeysOfNode {
    private final RingNode node;
    private final List<Integer> indices = new ArrayList<>();
    private final List<RowKey> keys = new ArrayList<>();
    private long bytes;

    KeysOfNode(RingNode node) {
      this.node = node;
    }

    boolean isFull() {
      return bytes >= MESSAGE_BYTES;
    }

    void add(int index, RowKey key) {
      indices.add(index);
      keys.add(key);
      bytes += key.token().length + key.key().length;
    }
  }

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final ClusterView cluster;
  private final Clock clock;
  private final Deadlines deadlines;
  private final Replicas replicas;
  private final CoordinatorSettings settings;

  public CoordinatedTouch(
      StorageEngine engine,
      SchemaStore schema,
      ClusterView cluster,
      Clock clock,
      Deadlines deadlines,
      Replicas replicas,
      CoordinatorSettings settings) {
    this.engine = engine;
    this.schema = schema;
    this.cluster = cluster;
    this.clock = clock;
    this.deadlines = deadlines;
    this.replicas = replicas;
    this.settings = settings;
  }

  /** As {@link RowToucher#touch}. */
  public CompletableFuture<Integer> touch(TouchRead touch) {
    Keyspace keyspace = schema.current().keyspace(touch.family().keyspace()).orElse(null);
    if (keyspace == null) {
      return CompletableFuture.failedFuture(
          new CoordinationException.NodeNotReady(
              "the keyspace " + touch.family().keyspace() + " was dropped during the request"));
    }
    Topology topology = cluster.topology();
    List<KeysOfNode> shares = new ArrayList<>();
    Map<String, KeysOfNode> current = new HashMap<>();
    for (int i = 0; i < touch.keys().size(); i++) {
      RowKey key = touch.keys().get(i);
      ReadPlan plan =
          ReadPlan.of(Consistency.ONE, keyspace, topology, key.token(), replicas.tools().sorter());
      if (!plan.isMet()) {
        return CompletableFuture.failedFuture(plan.refusal());
      }
      for (RingNode node : plan.alive()) {
        KeysOfNode share = current.get(node.id());
        if (share == null || share.isFull()) {
          share = new KeysOfNode(node);
          current.put(node.id(), share);
          shares.add(share);
        }
        share.add(i, key);
      }
    }
    return send(touch, shares);
  }

  private CompletableFuture<Integer> send(TouchRead touch, List<KeysOfNode> shares) {
    long limitNanos = deadlines.ofReplicas(touch.deadlineNanos(), settings);
    BitSet heard = new BitSet(touch.keys().size());
    BitSet found = new BitSet(touch.keys().size());
    List<String> failures = new ArrayList<>();
    List<CompletableFuture<?>> answers = new ArrayList<>(shares.size());
    for (KeysOfNode share : shares) {
      CompletableFuture<BitSet> answer = traced(touch, share, limitNanos);
      answers.add(
          answer.handle(
              (known, failure) -> {
                synchronized (heard) {
                  if (failure != null) {
                    failures.add(share.node.id() + ": " + Errors.unwrap(failure).getMessage());
                    return false;
                  }
                  for (int i = 0; i < share.indices.size(); i++) {
                    heard.set(share.indices.get(i));
                    found.set(
                        share.indices.get(i), found.get(share.indices.get(i)) || known.get(i));
                  }
                  return true;
                }
              }));
    }
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
        .thenCompose(
            done ->
                heard.cardinality() == touch.keys().size()
                    ? CompletableFuture.completedFuture(found.cardinality())
                    : CompletableFuture.failedFuture(
                        new CoordinationException.ReplicaTimeout(Consistency.ONE, 1, 0, failures)));
  }

  /** Has a node load its share, and records that if the call is traced. */
  private CompletableFuture<BitSet> traced(TouchRead touch, KeysOfNode share, long limitNanos) {
    CallTrace trace = touch.trace();
    if (trace == null) {
      return touchOn(touch, share, limitNanos);
    }
    long asked = trace.asked(share.node.id(), "touch of " + share.keys.size() + " rows");
    return trace.ended(share.node.id(), asked, touchOn(touch, share, limitNanos));
  }

  private CompletableFuture<BitSet> touchOn(TouchRead touch, KeysOfNode share, long limitNanos) {
    if (replicas.isSelf(share.node)) {
      return deadlines.limit(
          here(
              new TouchRead(
                  touch.family(), share.keys, touch.loadData(), limitNanos, touch.trace())),
          Consistency.ONE,
          limitNanos);
    }
    TouchMessage message = new TouchMessage(touch.family().id(), touch.loadData(), share.keys);
    return replicas
        .request(share.node, Verb.TOUCH, message.encode(), limitNanos, touch.trace())
        .thenApply(answer -> TouchMessage.decodeAnswer(answer, share.keys.size()));
  }

  private CompletableFuture<BitSet> here(TouchRead touch) {
    PagedTouch turns = new PagedTouch(engine, clock, touch);
    turns.begin();
    return turns.answer();
  }
}
