package dev.colonnade.server.coordinator;

import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.net.VerbFigures;
import dev.colonnade.server.schema.ColumnFamily;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What an operator asks of one node. Thread-safe; never blocks; futures fail with a {@link
 * CoordinationException}, or with another exception for our own bugs.
 */
public interface NodeOperations {

  /** How this node is. */
  NodeFigures node();

  /** What its stages are doing. */
  List<Scheduler.StageFigures> stages();

  /** How the messages between it and others fared, by what they ask for. */
  List<VerbFigures> messages();

  /** What its families hold and cost. */
  List<FamilyLoad> families();

  /**
   * Gives up what a damaged file held, so that reads that it may concern are answered again;
   * completes with false if the family has no such file in quarantine.
   */
  CompletableFuture<Boolean> acceptLoss(ColumnFamily family, long fileNumber);

  /**
   * Applies the records of a file of set-aside records again, and deletes it.
   *
   * @return how many there were; empty if there is no such file. Fails with what still keeps one
   *     from being applied
   */
  CompletableFuture<OptionalLong> applySetAside(ColumnFamily family, long fileNumber);

  /**
   * Writes the memtables of these families to data files; completes with the names of the files,
   * when durable.
   */
  CompletableFuture<List<String>> flush(List<ColumnFamily> families);

  /**
   * Merges all data files of each of these families into one.
   *
   * @param progress told now and then, and at the end, from any thread, one call at a time; must
   *     not block
   * @return completes when all are done; cancelling it stops the work after the step that it is in
   */
  CompletableFuture<Void> compact(List<ColumnFamily> families, Consumer<WorkProgress> progress);

  /**
   * A node's own figures.
   *
   * @param loadBytes of its data files
   * @param uptimeNanos since it started to serve
   */
  record NodeFigures(long uptimeNanos, long heapUsedBytes, long offheapUsedBytes, long loadBytes) {}

  /**
   * How far long work is.
   *
   * @param phase what it does now, in a word
   * @param done of {@code total}, in bytes unless the detail says otherwise; total 0 while it is
   *     unknown
   * @param detail which family and which files
   */
  record WorkProgress(String phase, long done, long total, String detail) {}
}
