package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.FamilyCounters;
import dev.colonnade.server.engine.FlushReason;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.engine.StoreFigures;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.metrics.LatencySnapshot;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.net.VerbFigures;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.Keyspace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What an operator asks of this node, answered by its store. Thread-safe. */
public final class LocalOperations implements NodeOperations {

  /** What the process takes of the machine's memory. Thread-safe. */
  public interface Memory {
    /** Bytes of heap in use. */
    long heapUsedBytes();

    /** Bytes of buffers outside of the heap. */
    long offheapUsedBytes();
  }

  private static final double NANOS_PER_MICRO = 1_000;

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final Scheduler scheduler;
  private final Clock clock;
  private final long startedNanos;
  private final Memory memory;
  private final Supplier<List<VerbFigures>> traffic;

  /**
   * Looks at the store through the schema.
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
    long load = 0;
    for (FamilyFigures family : families()) {
      load += family.disk().liveBytes();
    }
    return new NodeFigures(
        clock.monotonicNanos() - startedNanos,
        memory.heapUsedBytes(),
        memory.offheapUsedBytes(),
        load);
  }

  @Override
  public List<StageLoad> stages() {
    List<StageLoad> stages = new ArrayList<>();
    for (Scheduler.StageFigures stage : scheduler.figures()) {
      stages.add(
          new StageLoad(
              stage.stage().name().toLowerCase(Locale.ROOT),
              stage.active(),
              stage.pending(),
              stage.completed(),
              stage.rejected()));
    }
    return stages;
  }

  @Override
  public List<VerbLoad> messages() {
    List<VerbLoad> messages = new ArrayList<>();
    for (VerbFigures verb : traffic.get()) {
      messages.add(
          new VerbLoad(
              verb.verb().name(),
              verb.sent(),
              verb.received(),
              verb.dropped(),
              verb.timedOut(),
              verb.cancelled(),
              verb.failed(),
              meanMicros(verb.latency())));
    }
    return messages;
  }

  private static double meanMicros(LatencySnapshot latency) {
    return latency.count() == 0 ? 0 : latency.sumNanos() / (NANOS_PER_MICRO * latency.count());
  }

  @Override
  public List<FamilyFigures> families() {
    List<FamilyFigures> families = new ArrayList<>();
    for (Keyspace keyspace : schema.current().keyspaces().values()) {
      for (ColumnFamily family : keyspace.families().values()) {
        engine.figures(family.id()).ifPresent(figures -> families.add(figures(family, figures)));
      }
    }
    return families;
  }

  private static FamilyFigures figures(ColumnFamily family, StoreFigures store) {
    FamilyCounters counters = store.counters();
    long keyLookups = counters.sstablesTouched();
    return new FamilyFigures(
        family.keyspace(),
        family.name(),
        new FamilyFigures.Disk(
            store.sstables(), store.diskBytes(), store.diskBytes(), store.quarantined()),
        new FamilyFigures.Memtable(
            store.memtableRows(), store.memtableBytes(), store.memtableOperations()),
        new FamilyFigures.Calls(
            counters.reads(), counters.writes(), counters.readMicros(), counters.writeMicros()),
        new FamilyFigures.Reads(
            counters.sstablesTouched(),
            counters.blocksRead(),
            counters.blockCacheHits(),
            counters.blocksRead(),
            counters.bloomRejections(),
            counters.bloomFalsePositives(),
            counters.keyCacheHits(),
            keyLookups == 0 ? 0 : Math.min(1.0, (double) counters.keyCacheHits() / keyLookups),
            store.rowCache().hits(),
            store.rowCache().misses(),
            counters.tombstones()),
        new FamilyFigures.Flushes(
            counters.flushes(FlushReason.SIZE),
            counters.flushes(FlushReason.OPERATIONS),
            counters.flushes(FlushReason.AGE),
            counters.flushes(FlushReason.DEMAND)),
        store.pendingCompactions(),
        counters.compactedBytes());
  }

  @Override
  public CompletableFuture<Boolean> acceptLoss(ColumnFamily family, long fileNumber) {
    return engine
        .acceptLoss(family.id(), fileNumber)
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

  /**
   * Merges as {@link #compact}, and leaves out what is not to be kept.
   *
   * @param keeps which rows of a family; asked about each row when the merge gets there
   */
  public CompletableFuture<Void> cleanUp(
      List<ColumnFamily> families,
      Function<ColumnFamily, Predicate<RowKey>> keeps,
      Consumer<WorkProgress> progress) {
    return new FamilyMerges(engine, families, "cleaning", keeps, progress).run();
  }
}
