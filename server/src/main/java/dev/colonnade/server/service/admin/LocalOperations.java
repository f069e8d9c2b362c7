package dev.colonnade.server.service.admin;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.net.VerbFigures;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.consistency.StorageFailures;
import dev.colonnade.server.storage.engine.FamilyFigure;
import dev.colonnade.server.storage.engine.ScrubReport;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Answers administrative calls about this node from its store. Thread-safe. */
public final class LocalOperations implements NodeOperations {

  /** The memory that the process uses. Thread-safe. */
  public interface Memory {
    /** Bytes of heap in use. */
    long heapUsedBytes();

    /** Bytes of buffers outside of the heap. */
    long offheapUsedBytes();
  }

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final Scheduler scheduler;
  private final Clock clock;
  private final long startedNanos;
  private final Memory memory;
  private final Supplier<List<VerbFigures>> traffic;

  /**
   * Creates the operations over the store and the schema.
   *
   * @param memory asks the machine
   * @param traffic with other nodes
   */
  public LocalOperations(
      StorageEngine engine,
      SchemaStore schema,
      Scheduler scheduler,
      Clock clock,
      Memory memory,
      Supplier<List<VerbFigures>> traffic) {
    this.engine = engine;
    this.schema = schema;
    this.scheduler = scheduler;
    this.clock = clock;
    this.startedNanos = clock.monotonicNanos();
    this.memory = memory;
    this.traffic = traffic;
  }

  @Override
  public NodeFigures node() {
    double load = 0;
    for (FamilyId family : schema.current().families().keySet()) {
      load += engine.figure(family, FamilyFigure.DISK_BYTES);
    }
    return new NodeFigures(
        clock.monotonicNanos() - startedNanos,
        memory.heapUsedBytes(),
        memory.offheapUsedBytes(),
        (long) load);
  }

  @Override
  public List<Scheduler.StageFigures> stages() {
    return scheduler.figures();
  }

  @Override
  public List<VerbFigures> messages() {
    return traffic.get();
  }

  @Override
  public List<FamilyLoad> families() {
    List<FamilyLoad> families = new ArrayList<>();
    for (Keyspace keyspace : schema.current().keyspaces().values()) {
      for (ColumnFamily family : keyspace.families().values()) {
        engine
            .figures(family.id())
            .ifPresent(
                figures -> families.add(new FamilyLoad(keyspace.name(), family.name(), figures)));
      }
    }
    return families;
  }

  @Override
  public CompletableFuture<Boolean> acceptLoss(ColumnFamily family, long fileNumber) {
    return engine
        .acceptLoss(family.id(), fileNumber)
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(StorageFailures.translate(failure)));
  }

  @Override
  public CompletableFuture<OptionalLong> applySetAside(ColumnFamily family, long fileNumber) {
    return engine
        .setAside()
        .applyAgain(family.id(), fileNumber)
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(StorageFailures.translate(failure)));
  }

  @Override
  public CompletableFuture<List<String>> flush(List<ColumnFamily> families) {
    List<CompletableFuture<List<String>>> flushes = new ArrayList<>();
    for (ColumnFamily family : families) {
      flushes.add(engine.flush(family.id()));
    }
    return CompletableFuture.allOf(flushes.toArray(new CompletableFuture<?>[0]))
        .thenApply(
            done -> flushes.stream().flatMap(flush -> flush.getNow(List.of()).stream()).toList())
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(StorageFailures.translate(failure)));
  }

  @Override
  public CompletableFuture<Void> compact(
      List<ColumnFamily> families, Consumer<WorkProgress> progress) {
    return new FamilyMerges(engine, families, "merging", family -> key -> true, progress).run();
  }

  @Override
  public CompletableFuture<Void> scrub(
      List<ColumnFamily> families, Consumer<WorkProgress> progress) {
    CompletableFuture<ScrubReport> work =
        engine
            .scrub()
            .request(
                families.stream().map(ColumnFamily::id).toList(),
                report -> progress.accept(progress("scrubbing", report)));
    CompletableFuture<Void> answer =
        work.thenAccept(report -> progress.accept(progress("done", report)))
            .exceptionallyCompose(
                failure -> CompletableFuture.failedFuture(StorageFailures.translate(failure)));
    Then.whenDone(answer, (done, failure) -> work.cancel(false));
    return answer;
  }

  private static WorkProgress progress(String phase, ScrubReport report) {
    return new WorkProgress(phase, report.filesDone(), report.filesTotal(), report.inWords());
  }

  /**
   * Compacts as {@link #compact} does, and drops rows that are not to be kept.
   *
   * @param keeps which rows of a family are kept; asked about each row when the compaction reaches
   *     it
   */
  public CompletableFuture<Void> cleanUp(
      List<ColumnFamily> families,
      Function<ColumnFamily, Predicate<RowKey>> keeps,
      Consumer<WorkProgress> progress) {
    return new FamilyMerges(engine, families, "cleaning", keeps, progress).run();
  }
}
