package dev.colonnade.server.service.bulkload;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.repair.RepairTask;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.util.concurrent.CompletableFuture;

/** Admits loads, and remembers what they left to be repaired. Thread-safe. */
public interface BulkLoader {

  /**
   * Begins a load. It must be committed or cancelled.
   *
   * @throws BulkLoadException if the node is no replica of its ranges, or the family has changed
   * @throws CoordinationException if too many loads are open, or the node is not ready
   */
  BulkLoad open(LoadTarget target);

  /**
   * Remembers that another replica lacks rows of loads that this node has taken; they are sent to
   * it when it is up.
   *
   * @param keyspace of the task's family
   * @return completes when the task is durable: with false, and without it, if there are too many
   * @throws BulkLoadException if one of the two nodes is no replica of one of the ranges
   */
  CompletableFuture<Boolean> scheduleRepair(Keyspace keyspace, RepairTask task);
}
