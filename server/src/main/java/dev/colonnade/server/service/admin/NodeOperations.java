package dev.colonnade.server.service.admin;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.net.VerbFigures;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Administrative calls to one node. Thread-safe; never blocks; futures fail with a {@link
 * CoordinationException}, or with another exception for our own bugs.
 */
public interface NodeOperations {

  /** This node's status. */
  NodeFigures node();

  /** The state of its stages. */
  List<Scheduler.StageFigures> stages();

  /** Counts of messages between this node and others, by verb. */
  List<VerbFigures> messages();

  /** The size and load of its families. */
  List<FamilyLoad> families();

  /**
   * Accepts the loss of a damaged file's data, so that reads it may concern are answered again;
   * completes with false if the family has no such file in quarantine.
   */
  CompletableFuture<Boolean> acceptLoss(ColumnFamily family, long fileNumber);

  /**
   * Applies the records of a set-aside file again and deletes the file.
   *
   * @return the number of records; empty if there is no such file. Fails with the reason if a
   *     record still cannot be applied
   */
  CompletableFuture<OptionalLong> applySetAside(ColumnFamily family, long fileNumber);

  /**
   * Flushes the memtables of these families; completes with the names of the files once they are
   * durable.
   */
  CompletableFuture<List<String>> flush(List<ColumnFamily> families);

  /**
   * Runs a major compaction of each of these families.
   *
   * @param progress called now and then, and at the end, from any thread, one call at a time; must
   *     not block
   * @return completes when all are done; cancelling it stops the work after the current step
   */
  CompletableFuture<Void> compact(List<ColumnFamily> families, Consumer<WorkProgress> progress);

  /**
   * Compares the checksums of all data files of these families, at the rate of the scrub in the
   * background. Damage is handled as when a read finds it.
   *
   * @param progress as {@link #compact} calls it, in files; the last detail says what was found
   * @return completes when all are read; cancelling it stops the work
   */
  CompletableFuture<Void> scrub(List<ColumnFamily> families, Consumer<WorkProgress> progress);

  /**
   * A node's own figures.
   *
   * @param loadBytes of its data files
   * @param uptimeNanos since it started to serve
   */
  record NodeFigures(long uptimeNanos, long heapUsedBytes, long offheapUsedBytes, long loadBytes) {}

  /**
   * The progress of long work.
   *
   * @param phase what it does now, in a word
   * @param done of {@code total}, in bytes unless the detail says otherwise; total is 0 while
   *     unknown
   * @param detail which family and which files
   */
  record WorkProgress(String phase, long done, long total, String detail) {}
}
