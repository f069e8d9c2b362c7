package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.ReadCommand;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.mutation.TruncationPendingException;
import dev.colonnade.server.storage.sstable.FilterMemory;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One node's store, the entry point to reads, writes and maintenance. {@link StorageOpening}
 * creates it; the work is done by the write pipeline, the read path, the flusher and the compactor.
 *
 * <p>Futures fail with
 *
 * <ul>
 *   <li>an {@link IOException} if a file is damaged or cannot be read or written;
 *   <li>{@link OverloadedException} if a bound was reached and nothing was done;
 *   <li>{@link StoreStoppedException} if no more writes are accepted.
 * </ul>
 *
 * <p>Thread-safe; never blocks, except for methods that say so.
 */
public final class StorageEngine implements Watched {

  private final Environment environment;
  private final EngineSettings settings;
  private final StoreParts parts;
  private final ColumnFamilyStores families;
  private final LogControl logControl;
  private final WritePipeline pipeline;
  private final WriteAdmission writes;
  private final ReadPath reads;
  private final Flusher flusher;
  private final Compactor compactor;
  private final KeyIndexOpener keyIndexes;
  private final RangeTransfer bulk;
  private final FlushControl flushControl;
  private final FamilyChanges familyChanges;
  private final QuarantineHealth quarantines;
  private final SetAsideRecords setAside;
  private final LiveFileSet liveFiles;
  private final BackgroundScrub scrub;
  private final BackgroundTasks backgroundTasks;
  private final OrderlyStop ending;
  private final Snapshots snapshots;

  StorageEngine(
      Environment environment,
      EngineSettings settings,
      StoreParts parts,
      ColumnFamilyStores families,
      Health health) {
    this.environment = environment;
    this.settings = settings;
    this.parts = parts;
    this.families = families;
    Scheduler scheduler = environment.scheduler();
    this.logControl = new LogControl(parts.log(), families, health, this::stopWrites);
    this.quarantines = new QuarantineHealth(health);
    this.liveFiles =
        new LiveFileSet(
            parts.manifest(),
            parts.log(),
            scheduler,
            parts.resources(),
            parts.partitioner(),
            logControl::sync,
            quarantines,
            logControl::manifestFailed);
    this.pipeline =
        new WritePipeline(
            parts.log(),
            families,
            scheduler,
            logControl::prepare,
            environment.clock(),
            settings.syncBeforeAck(),
            settings.writeQueueBytesMax(),
            parts.log().begin());
    Quarantine quarantine =
        new Quarantine(liveFiles, scheduler, environment.clock(), this::maybeScheduleCompaction);
    this.reads = new ReadPath(environment.clock(), scheduler, settings.steps(), quarantine);
    DiskSpaceGuard diskSpace =
        new DiskSpaceGuard(
            environment.files(), environment.logFiles(), settings.diskReserveBytes());
    this.writes = new WriteAdmission(environment.clock(), families, pipeline, diskSpace);
    this.compactor = new Compactor(environment, settings, liveFiles, diskSpace, quarantine, health);
    this.keyIndexes = new KeyIndexOpener(scheduler, quarantine);
    this.flusher =
        new Flusher(
            scheduler, liveFiles, diskSpace, health, settings.familyFilesMax(), this::flushDone);
    this.bulk = new RangeTransfer(liveFiles, diskSpace, quarantine, this::maybeScheduleCompaction);
    this.flushControl = new FlushControl(pipeline, liveFiles, flusher);
    this.familyChanges = new FamilyChanges(environment, families, pipeline, liveFiles, compactor);
    this.setAside =
        new SetAsideRecords(
            families,
            liveFiles,
            environment.files(),
            scheduler,
            environment.clock(),
            mutation -> writeUsingReserve(mutation, true));
    this.scrub =
        new BackgroundScrub(
            families, parts.resources(), quarantine, environment, settings.scrubBytesPerSecond());
    this.backgroundTasks =
        new BackgroundTasks(
            scheduler, families, pipeline, diskSpace, compactor, flusher, parts.closer(), scrub);
    this.ending = new OrderlyStop(scheduler, families, pipeline, logControl, this::flush);
    this.snapshots =
        new Snapshots(
            environment,
            families,
            stores -> FilesAtMoment.hold(pipeline, families, environment.clock(), stores),
            settings.snapshotBytesPerSecond());
  }

  /** Starts the timers, once everything is wired. */
  void start() {
    families.connect(logControl, flusher::request, flusher::progress);
    backgroundTasks.start(
        settings, logControl::sync, environment.logArchive().map(archive -> logControl::archive));
    keyIndexes.warmUp(environment.keyIndexes());
    for (ColumnFamilyStore store : families.all()) {
      compactor.consider(store);
      keyIndexes.openAll(store);
      quarantines.follow(store);
    }
    setAside.tryAll();
  }

  /** The records that could not be applied. */
  public SetAsideRecords setAside() {
    return setAside;
  }

  /** The snapshots of the live files. */
  public Snapshots snapshots() {
    return snapshots;
  }

  /** The search for damage in the live files. */
  public BackgroundScrub scrub() {
    return scrub;
  }

  private void stopWrites(String reason) {
    pipeline.stop(reason);
  }

  private void maybeScheduleCompaction(ColumnFamilyStore store) {
    compactor.consider(store);
  }

  private void relieve() {
    Futures.ignore(pipeline.run(families::relieve));
    pipeline.room().lookAgain();
  }

  private void flushDone(ColumnFamilyStore store) {
    families.checkFull();
    if (families.isFull()) {
      // No write is made now that would trigger the flushes that are needed to free room.
      Futures.ignore(pipeline.run(families::relieve));
    }
    pipeline.room().lookAgain();
    compactor.consider(store);
  }

  @Override
  public void report(Observer observer) {
    pipeline.report(observer);
    flusher.report(observer);
    compactor.report(observer);
  }

  /** Why the store accepts no more writes; empty while it is sound. */
  public Optional<String> failure() {
    return logControl.failure();
  }

  /**
   * Applies a mutation: completes when it is in the commit log as the mode promises, and visible.
   *
   * @param durable false writes to memory only, and to disk with the next flush
   */
  public CompletableFuture<Void> write(Mutation mutation, boolean durable) {
    return write(mutation, durable, Long.MAX_VALUE);
  }

  /**
   * As {@link #write(Mutation, boolean)}, for a caller that gives up at some time. While memtables
   * have no room, the write waits until shortly before, as long as flushes make progress.
   *
   * @param deadlineNanos by the monotonic clock; {@link Long#MAX_VALUE} for none
   */
  public CompletableFuture<Void> write(Mutation mutation, boolean durable, long deadlineNanos) {
    return write(mutation, durable, deadlineNanos, null);
  }

  /** The same for a call that may be traced; null if it is not. */
  public CompletableFuture<Void> write(
      Mutation mutation, boolean durable, long deadlineNanos, @Nullable StoreTrace trace) {
    return writes.write(mutation, durable, deadlineNanos, trace);
  }

  /** Whether so many memtables wait for the disk that a write must wait for room. */
  public boolean isBehind() {
    return families.isFull();
  }

  /** Whether it {@link #isBehind} and does not catch up: flushes make no progress. */
  public boolean isStuck() {
    return families.isStuck();
  }

  /**
   * As {@link #write}, for writes that free room: they may use the reserve that is kept for that.
   */
  public CompletableFuture<Void> writeUsingReserve(Mutation mutation, boolean durable) {
    return writes.writeUsingReserve(mutation, durable, Long.MAX_VALUE);
  }

  /**
   * Reads what this node has.
   *
   * @param output what to return of it
   */
  public <C extends ReadCommand, T> CompletableFuture<ReadResponse<T>> read(
      FamilyId family, C command, ReadOutput<C, T> output, ReadMode mode) {
    return read(family, command, output, mode, null);
  }

  /** The same for a call that may be traced; null if it is not. */
  public <C extends ReadCommand, T> CompletableFuture<ReadResponse<T>> read(
      FamilyId family, C command, ReadOutput<C, T> output, ReadMode mode, @Nullable StoreTrace by) {
    ColumnFamilyStore store = families.find(family);
    return store == null ? gone(family) : reads.read(store, command, output, mode, by);
  }

  /** As {@link #read}, with what the caller's thread finds in memory first. */
  public <C extends ReadCommand, T> CompletableFuture<ReadResponse<T>> read(
      FamilyId family, C command, ReadOutput<C, T> output) {
    return read(family, command, output, ReadMode.INLINE);
  }

  /**
   * Loads a row into the caches.
   *
   * @param loadData its cells too, if the family has a row cache; else only its positions
   * @return whether there is anything of that row
   */
  public CompletableFuture<Boolean> touch(FamilyId family, RowKey key, boolean loadData) {
    return in(family, store -> reads.touch(store, key, loadData));
  }

  /**
   * Samples the keys between two bounds, ascending, so that the rows between them can be divided
   * into ranges of about equal size.
   *
   * @param from included
   * @param end excluded; empty for the end of the ring
   * @param keysWanted how many keys a range should have, at least 1
   */
  public CompletableFuture<List<KeySample>> sampleKeys(
      FamilyId family, RowKey from, Optional<RowKey> end, long keysWanted) {
    Scheduler scheduler = environment.scheduler();
    return in(family, store -> new KeySampler(store, scheduler, from, end, keysWanted).run());
  }

  private <T> CompletableFuture<T> in(
      FamilyId family, Function<ColumnFamilyStore, CompletableFuture<T>> work) {
    ColumnFamilyStore store = families.find(family);
    return store == null ? gone(family) : work.apply(store);
  }

  private static <T> CompletableFuture<T> gone(FamilyId family) {
    return CompletableFuture.failedFuture(
        new StoreStoppedException("column family " + family + " was dropped meanwhile"));
  }

  /**
   * Flushes the family's memtable; completes with the files' names. Fails if the current attempt
   * fails; the flush is nevertheless tried again.
   */
  public CompletableFuture<List<String>> flush(FamilyId family) {
    return flush(family, FlushOutcome::attempt);
  }

  /** As {@link #flush}, but waits until an attempt succeeds, as long as there will be another. */
  public CompletableFuture<List<String>> flushRetrying(FamilyId family) {
    return flush(family, FlushOutcome::end);
  }

  private CompletableFuture<List<String>> flush(
      FamilyId family, Function<FlushOutcome, CompletableFuture<Optional<String>>> awaited) {
    return in(family, store -> flushControl.flush(store, awaited));
  }

  /** Flushes, then reads all rows of some spans for another node; holds the files until closed. */
  public CompletableFuture<RangeScan> scan(FamilyId family, List<RowSpan> spans) {
    return in(family, store -> flush(family).thenApply(flushed -> bulk.scan(store, spans)));
  }

  /** The last truncation of the family; 0 if it was never truncated, or does not exist. */
  public long truncation(FamilyId family) {
    ColumnFamilyStore store = families.find(family);
    return store == null ? 0 : store.definition().truncation();
  }

  /**
   * Begins an ingest of another node's rows.
   *
   * @param truncation {@link #truncation} there, before the rows were read
   * @throws StoreStoppedException if there is no such family, or the rows are from before a
   *     truncation
   * @throws TruncationPendingException if they are from after one that has yet to be applied here
   */
  public RangeIngest ingest(FamilyId family, long truncation) {
    ColumnFamilyStore store = families.find(family);
    if (store == null) {
      throw new StoreStoppedException("column family " + family + " does not exist here");
    }
    return bulk.ingest(store, truncation);
  }

  /**
   * Compacts all files of the family into one, memtable included; if a compaction is running, after
   * that.
   *
   * @param progress told now and then, and at the end; one call at a time
   * @return cancelling it stops the compaction at its next step
   */
  public CompletableFuture<Void> compact(FamilyId family, Consumer<CompactionProgress> progress) {
    return compact(family, key -> true, progress);
  }

  /**
   * As {@link #compact}, but leaves out rows that are not to be kept. Each row is asked about once.
   */
  public CompletableFuture<Void> compact(
      FamilyId family, Predicate<RowKey> keeps, Consumer<CompactionProgress> progress) {
    return in(
        family,
        store -> compactor.startAfter(flush(family), new MajorCompaction(store, keeps, progress)));
  }

  /**
   * Deletes everything in the family that was written before; durable when it completes. Writes
   * from before that truncation are void from then on; those from after it fail with {@link
   * TruncationPendingException} until {@link #updateFamily} confirms the truncation.
   *
   * @param number of the truncation
   */
  public CompletableFuture<Void> truncate(FamilyId family, long number) {
    return in(family, store -> flushControl.truncate(store, number));
  }

  /** Reverts a truncation that could not be recorded in the schema. */
  public CompletableFuture<Void> abandonTruncation(FamilyId family) {
    return in(family, store -> flushControl.abandonTruncation(store));
  }

  /**
   * Opens new families. Blocks on the disk: to be called on the manifest stage.
   *
   * @throws IOException if a directory cannot be created
   */
  public void addFamilies(Collection<ColumnFamily> added) throws IOException {
    familyChanges.add(added);
  }

  /** Takes over changed options of an open family. */
  public void updateFamily(ColumnFamily family) {
    familyChanges.update(family);
  }

  /** Drops a family with all its data. */
  public CompletableFuture<Void> dropFamily(FamilyId family) {
    return familyChanges.drop(family);
  }

  /** The figures of a family, if it is open. */
  public Optional<FamilyFigures> figures(FamilyId family) {
    return Optional.ofNullable(families.find(family))
        .map(store -> FamilyFigures.of(compactor.figures(store)));
  }

  /** One figure of a family; 0 if there is no such family. */
  public double figure(FamilyId family, FamilyFigure figure) {
    ColumnFamilyStore store = families.find(family);
    return store == null ? 0 : figure.read(compactor.figures(store));
  }

  /** What was measured of a family's reads or writes; empty if nothing was. */
  public Optional<HistogramDataPointSnapshot> distribution(FamilyId id, FamilyDistribution which) {
    return Optional.ofNullable(families.find(id)).map(store -> store.counters().snapshot(which));
  }

  /** The compactions that run, and their progress. */
  public List<MergeFigures> merges() {
    return compactor.merges();
  }

  /**
   * Accepts the loss of what a quarantined file held. Reads that it may concern are answered again.
   *
   * @return false if there is no such file
   */
  public CompletableFuture<Boolean> acceptLoss(FamilyId family, long fileNumber) {
    return in(family, store -> liveFiles.acceptLoss(store, fileNumber));
  }

  /** Figures of the commit log and the caches. */
  public EngineFigures figures() {
    return EngineFigures.of(parts, pipeline, scrub);
  }

  /**
   * Describes the current claims (a running flush or compaction, an ingest); empty once all is at
   * rest.
   */
  public List<String> claims() {
    return families.claims();
  }

  /** The limits that change while the store runs. */
  public StoreLimits limits() {
    return new StoreLimits(compactor, scrub, snapshots, families, this::relieve, parts.resources());
  }

  /** The memory that Bloom filters take. */
  public FilterMemory filters() {
    return parts.resources().filters();
  }

  /** A report of what opening found in the commit log. */
  public String recoveryReport() {
    return parts.log().recovery().inWords();
  }

  /**
   * Stops accepting writes, finishes those that were accepted, and writes all of it to data files.
   * When it completes, the commit log holds nothing that the next start would read. Reads go on.
   *
   * @return fails if not everything could be written; the rest is in the log
   */
  public CompletableFuture<Void> drain() {
    pipeline.stop("the node is drained; restart it to make it serve again");
    return ending.emptyLog();
  }

  /**
   * Stops accepting writes, finishes those that were accepted, and flushes what is not in the log,
   * or what the next start would take long to replay. Reads go on until {@link #release}.
   */
  public CompletableFuture<Void> stop() {
    pipeline.stop("the node is shutting down");
    backgroundTasks.stop();
    compactor.stop();
    keyIndexes.stop();
    return ending.run();
  }

  /**
   * Closes all files, after {@link #stop} and when no task of the scheduler runs any more. Blocks.
   *
   * @throws IOException if the log could not be made durable
   */
  public void release() throws IOException {
    parts.release(families);
  }

  /** The log position up to which everything is applied. */
  LogPosition reached() {
    return pipeline.reached();
  }

  /** The stores themselves, for callers in this package. */
  ColumnFamilyStores families() {
    return families;
  }
}
