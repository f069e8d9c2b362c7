package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Slot;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.streaming.Streams;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Runs anti-entropy repairs. Thread-safe; never blocks. */
public final class Repairs {

  /** The other parts of the node. */
  record RepairContext(
      StorageEngine engine,
      Streams streams,
      Messenger messenger,
      Clock clock,
      Scheduler scheduler,
      RepairSettings settings,
      Predicate<RingNode> isAlive) {}

  private final RepairContext parts;
  private final Supplier<Topology> topology;
  private final Supplier<Schema> schema;
  private final Slot turn = new Slot();

  /**
   * Serves repairs that this node begins, and hashes for those of others. Belongs before the
   * messenger's start.
   */
  public Repairs(
      StorageEngine engine,
      Streams streams,
      Messenger messenger,
      Clock clock,
      Scheduler scheduler,
      RepairSettings settings,
      Supplier<Topology> topology,
      Supplier<Schema> schema) {
    this.parts =
        new RepairContext(
            engine,
            streams,
            messenger,
            clock,
            scheduler,
            settings,
            node -> topology.get().takesWrites(node.id()));
    this.topology = topology;
    this.schema = schema;
    messenger.handle(Verb.REPAIR_TREE, new TreeService(engine, scheduler, settings)::handle);
  }

  /**
   * Compares all ranges of these families that this node has copies of with their other replicas,
   * and repairs what differs.
   *
   * @param within only ranges that end in it; empty: all
   * @param isDry only compares
   * @param listener told before each range, from any thread, one call at a time; must not block
   * @return the final progress; fails with what went wrong, also when another repair of this node
   *     is under way. Cancelling it ends the work; what was repaired stays repaired
   */
  public CompletableFuture<RepairProgress> repair(
      List<ColumnFamily> families,
      Optional<TokenRange> within,
      boolean isDry,
      Consumer<RepairProgress> listener) {
    Claim repair = turn.claim();
    if (repair == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "a repair runs on this node already; wait for it, or cancel it"));
    }
    CompletableFuture<RepairProgress> run =
        Then.called(() -> RepairRun.begin(jobs(families, within), isDry, parts, listener));
    Then.whenDone(run, (result, failure) -> repair.close());
    return run;
  }

  private List<RepairRun.RepairJob> jobs(List<ColumnFamily> families, Optional<TokenRange> within) {
    List<RepairRun.RepairJob> jobs = new ArrayList<>();
    for (ColumnFamily family : families) {
      schema
          .get()
          .keyspace(family.keyspace())
          .ifPresent(keyspace -> jobs.addAll(jobs(family, keyspace, within)));
    }
    return jobs;
  }

  private List<RepairRun.RepairJob> jobs(
      ColumnFamily family, Keyspace keyspace, Optional<TokenRange> within) {
    Topology now = topology.get();
    String selfId = now.self().id();
    ReplicaPlacement placement = ReplicaPlacement.of(keyspace, now.self());
    List<RepairRun.RepairJob> jobs = new ArrayList<>();
    for (TokenRange range : Topology.rangesOf(now.ring(), placement, selfId)) {
      if (within.isEmpty() || within.get().contains(range.end())) {
        List<RingNode> others =
            now.replicas(placement, range.end()).stream()
                .filter(node -> !node.id().equals(selfId))
                .toList();
        jobs.add(
            new RepairRun.RepairJob(
                family.id(), family.keyspace() + "." + family.name(), range, others));
      }
    }
    return jobs;
  }
}
