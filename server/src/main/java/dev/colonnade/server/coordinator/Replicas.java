package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.net.Peer;
import dev.colonnade.server.net.PeerAddress;
import dev.colonnade.server.net.Verb;
import dev.colonnade.server.ring.RingNode;
import java.util.concurrent.CompletableFuture;

/**
 * Reaches the replicas of rows: this node's store without detour, the others by message.
 * Thread-safe; never blocks.
 */
final class Replicas {

  private final StorageEngine engine;
  private final String selfId;
  private final PeerCalls peers;
  private final Deadlines deadlines;

  Replicas(StorageEngine engine, String selfId, PeerCalls peers, Deadlines deadlines) {
    this.engine = engine;
    this.selfId = selfId;
    this.peers = peers;
    this.deadlines = deadlines;
  }

  static Peer peer(RingNode node) {
    return new Peer(node.id(), new PeerAddress(node.address(), node.peerPort()));
  }

  boolean isSelf(RingNode node) {
    return node.id().equals(selfId);
  }

  /** Sends one row's changes; completes when the replica has taken them. */
  CompletableFuture<byte[]> write(RingNode node, byte[] message, long deadlineNanos) {
    return peers.request(peer(node), Verb.MUTATION, message, deadlineNanos);
  }

  /** Writes to this node's store as one replica of several. */
  CompletableFuture<Void> writeHere(
      MutationMessage message, Consistency consistency, long deadlineNanos) {
    return deadlines.limit(
        StorageFailures.translated(engine.write(message.mutation(), message.durable())),
        consistency,
        deadlineNanos);
  }

  /** Writes to this node's store as the only replica. */
  CompletableFuture<Void> writeHere(WritePlan plan, boolean durable, long deadlineNanos) {
    CompletableFuture<Void> written = engine.write(plan.mutation(), durable);
    return plan.consistency() == Consistency.ZERO
        ? CompletableFuture.completedFuture(null)
        : deadlines.limit(StorageFailures.translated(written), plan.consistency(), deadlineNanos);
  }
}
