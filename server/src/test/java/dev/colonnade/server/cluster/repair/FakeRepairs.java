package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.ring.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Remembers which tasks are saved, and which are carried out; repairs nothing. */
public final class FakeRepairs implements RepairTasks.Repairer, RepairTasks.Storage {

  private static final RepairProgress DONE = new RepairProgress(1, 1, 1, 1, 0, "done");

  private final Supplier<Topology> topology;
  private final Supplier<Schema> schema;
  private final Map<RepairTask.Subject, RepairTask> stored = new HashMap<>();

  /** The tasks in the order in which they were begun. */
  final List<RepairTask> begun = new ArrayList<>();

  /** What comes of the next ones. */
  CompletableFuture<RepairProgress> outcome = CompletableFuture.completedFuture(DONE);

  /** Creates it with nothing stored. */
  public FakeRepairs(Supplier<Topology> topology, Supplier<Schema> schema) {
    this.topology = topology;
    this.schema = schema;
  }

  /** A repair that ends well. */
  static RepairProgress done() {
    return DONE;
  }

  @Override
  public Topology topology() {
    return topology.get();
  }

  @Override
  public Schema schema() {
    return schema.get();
  }

  @Override
  public CompletableFuture<RepairProgress> carryOut(RepairTask task) {
    begun.add(task);
    return outcome;
  }

  @Override
  public List<RepairTask> saved() {
    return List.copyOf(stored.values());
  }

  @Override
  public CompletableFuture<Void> save(RepairTask task) {
    if (task.ranges().isEmpty()) {
      stored.remove(task.subject());
    } else {
      stored.put(task.subject(), task);
    }
    return CompletableFuture.completedFuture(null);
  }
}
