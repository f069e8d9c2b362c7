package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.ReadCommand;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reaches the replicas of rows: this node's store directly, the others by message. Thread-safe;
 * never blocks.
 */
public final class Replicas {

  private final StorageEngine engine;
  private final String selfId;
  private final PeerClient peers;
  private final Deadlines deadlines;
  private final ReplicaRequest.RequestContext tools;
  private volatile boolean readRepair;
  private final AskedReplicas onlyHere;

  public Replicas(
      StorageEngine engine,
      String selfId,
      PeerClient peers,
      Deadlines deadlines,
      ReplicaRequest.RequestContext tools,
      boolean mends) {
    this.engine = engine;
    this.selfId = selfId;
    this.peers = peers;
    this.deadlines = deadlines;
    this.tools = tools;
    this.readRepair = mends;
    this.onlyHere = AskedReplicas.only(selfId);
  }

  /** Changes whether replicas that differ are repaired before a read is answered. */
  public void readRepair(boolean mends) {
    readRepair = mends;
  }

  public ReplicaRequest.RequestContext tools() {
    return tools;
  }

  public static Peer peer(RingNode node) {
    return new Peer(node.id(), new PeerAddress(node.address(), node.peerPort()));
  }

  public boolean isSelf(RingNode node) {
    return node.id().equals(selfId);
  }

  /** The result of a call that only this node's store answered. */
  AskedReplicas onlyHere() {
    return onlyHere;
  }

  /** The result of a call that this node's store was asked and failed. */
  public AskedReplicas inVainHere() {
    return new AskedReplicas(List.of(selfId), List.of());
  }

  public boolean isHereOnly(ReadPlan plan) {
    return plan.isHereOnly(selfId);
  }

  /** Reads this node's store alone. Fails as the store does; cancelling it cancels the read. */
  public <C extends ReadCommand, T> CompletableFuture<ReadAnswer<T>> readHere(
      FamilyId family,
      C command,
      ReadOutput<C, T> output,
      ReadMode mode,
      @Nullable CallTrace trace) {
    return Futures.map(
        engine.read(family, command, output, mode, trace == null ? null : trace.store()),
        read -> ReadAnswer.of(read, onlyHere));
  }

  /** Sends one row's changes; completes when the replica has acknowledged them. */
  public CompletableFuture<byte[]> write(
      RingNode node, byte[] message, long deadlineNanos, @Nullable CallTrace trace) {
    return request(node, Verb.MUTATION, message, deadlineNanos, trace);
  }

  /** Writes to this node's store as one replica of several. */
  public CompletableFuture<Void> writeHere(
      MutationMessage message,
      Consistency consistency,
      long deadlineNanos,
      @Nullable CallTrace trace) {
    return deadlines.limit(
        StorageFailures.translated(
            engine.write(
                message.mutation(),
                message.durable(),
                deadlineNanos,
                trace == null ? null : trace.store())),
        consistency,
        deadlineNanos);
  }

  /** Writes to this node's store as the only replica. */
  public CompletableFuture<AskedReplicas> writeHere(
      WritePlan plan, boolean durable, long deadlineNanos, @Nullable CallTrace trace) {
    CompletableFuture<Void> written =
        engine.write(plan.mutation(), durable, deadlineNanos, trace == null ? null : trace.store());
    return plan.consistency() == Consistency.ZERO
        ? CompletableFuture.completedFuture(new AskedReplicas(List.of(selfId), List.of()))
        : Futures.map(
            deadlines.limit(StorageFailures.translated(written), plan.consistency(), deadlineNanos),
            done -> onlyHere);
  }

  /** Sends a request to another node. */
  public CompletableFuture<byte[]> request(
      RingNode node, Verb verb, byte[] body, long deadlineNanos, @Nullable CallTrace trace) {
    return trace == null
        ? peers.request(peer(node), verb, body, deadlineNanos)
        : peers.traced(peer(node), verb, body, deadlineNanos, trace.toReplica(node.id()));
  }

  /**
   * Limits a call to this node's store by the deadline, and translates its failures for the caller.
   */
  public <T> CompletableFuture<T> limited(
      CompletableFuture<T> here, Consistency consistency, long deadlineNanos) {
    return deadlines.limit(StorageFailures.translated(here), consistency, deadlineNanos);
  }

  /** Sends a replica the data it lacks; completes when it has acknowledged all of it. */
  public CompletableFuture<Boolean> correct(
      RingNode node,
      List<Mutation> lacking,
      boolean durable,
      Consistency consistency,
      long deadlineNanos,
      @Nullable CallTrace trace) {
    if (lacking.isEmpty() || !readRepair) {
      return CompletableFuture.completedFuture(true);
    }
    if (trace != null) {
      trace.add(CallTrace.Step.READ_REPAIR, node.id(), "");
    }
    List<CompletableFuture<?>> sent = new ArrayList<>(lacking.size());
    for (Mutation mutation : lacking) {
      sent.add(
          isSelf(node)
              ? limited(
                  engine.write(
                      mutation, durable, deadlineNanos, trace == null ? null : trace.store()),
                  consistency,
                  deadlineNanos)
              : request(
                  node,
                  Verb.READ_REPAIR,
                  new MutationMessage(mutation, durable).encode(),
                  deadlineNanos,
                  trace));
    }
    return CompletableFuture.allOf(sent.toArray(new CompletableFuture<?>[0]))
        .thenApply(done -> true);
  }
}
