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
import dev.colonnade.server.cluster.ring.TokenRanges;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.streaming.Streams;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs anti-entropy repairs. Thread-safe; never blocks. */
public final class Repairs implements RepairTasks.Repairer {

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
  private final LongAdder done = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder ranges = new LongAdder();
  private final LongAdder mismatchedRanges = new LongAdder();
  private final LongAdder movedRows = new LongAdder();
  private volatile Optional<RepairProgress> running = Optional.empty();
  private volatile @Nullable CompletableFuture<RepairProgress> lastTask;

  /**
   * Counts of repairs since the node started; those of a running one are added when it ends.
   *
   * @param done repairs that were carried through
   * @param failed repairs that failed or were cancelled, but for tasks, which are tried again
   * @param ranges ranges of families that were compared
   * @param mismatchedRanges parts of them that differed on some replica
   * @param movedRows rows sent between replicas
   * @param running the progress of the repair that runs, if there is one
   */
  public record RepairFigures(
      long done,
      long failed,
      long ranges,
      long mismatchedRanges,
      long movedRows,
      Optional<RepairProgress> running) {}

  /** Counts of the repairs that this node began. */
  public RepairFigures figures() {
    return new RepairFigures(
        done.sum(), failed.sum(), ranges.sum(), mismatchedRanges.sum(), movedRows.sum(), running);
  }

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
   * and repairs what differs. A task that is being carried out gives way to it, and is taken up
   * again later.
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
    CompletableFuture<RepairProgress> task = lastTask;
    if (task != null) {
      task.cancel(false);
    }
    return begin(() -> jobs(families, within), isDry, listener, failed::increment);
  }

  /**
   * Carries out a task: compares its ranges, as far as this node still has copies of them, with the
   * node that lacks rows. If that is no replica of a range any more, with those that are: they may
   * have the range from it. As {@link #repair} otherwise.
   */
  @Override
  public CompletableFuture<RepairProgress> carryOut(RepairTask task) {
    // A failure is no news for an operator, since it is tried again.
    CompletableFuture<RepairProgress> run =
        begin(() -> jobs(task), false, progress -> {}, () -> {});
    lastTask = run;
    return run;
  }

  private CompletableFuture<RepairProgress> begin(
      Supplier<List<RepairRun.RepairJob>> jobs,
      boolean isDry,
      Consumer<RepairProgress> listener,
      Runnable onFailure) {
    Claim repair = turn.claim();
    if (repair == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "a repair runs on this node already; wait for it, or cancel it"));
    }
    CompletableFuture<RepairProgress> run =
        Then.called(
            () ->
                RepairRun.begin(
                    jobs.get(),
                    isDry,
                    parts,
                    progress -> {
                      running = Optional.of(progress);
                      listener.accept(progress);
                    }));
    Then.whenDone(
        run,
        (result, failure) -> {
          (failure == null ? (Runnable) done::increment : onFailure).run();
          ended(failure == null ? Optional.of(result) : running);
          repair.close();
        });
    return run;
  }

  private void ended(Optional<RepairProgress> last) {
    last.ifPresent(
        progress -> {
          ranges.add(progress.done());
          mismatchedRanges.add(progress.mismatchedRanges());
          movedRows.add(progress.movedRows());
        });
    running = Optional.empty();
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

  private List<RepairRun.RepairJob> jobs(RepairTask task) {
    Schema current = schema.get();
    Optional<ColumnFamily> family = current.family(task.family());
    Optional<Keyspace> keyspace = family.flatMap(found -> current.keyspace(found.keyspace()));
    if (family.isEmpty() || keyspace.isEmpty()) {
      return List.of();
    }
    Topology now = topology.get();
    ReplicaPlacement placement = ReplicaPlacement.of(keyspace.get(), now.self());
    List<RepairRun.RepairJob> jobs = new ArrayList<>();
    for (TokenRange range : TokenRanges.cut(task.ranges(), now.ring())) {
      List<RingNode> others = new ArrayList<>(now.replicas(placement, range.end()));
      if (others.removeIf(node -> node.id().equals(now.self().id()))) {
        List<RingNode> lacking =
            others.stream().filter(node -> node.id().equals(task.nodeId())).toList();
        jobs.add(
            new RepairRun.RepairJob(
                task.family(),
                family.get().qualifiedName(),
                range,
                lacking.isEmpty() ? others : lacking));
      }
    }
    return jobs;
  }

  @Override
  public Topology topology() {
    return topology.get();
  }

  @Override
  public Schema schema() {
    return schema.get();
  }
}
