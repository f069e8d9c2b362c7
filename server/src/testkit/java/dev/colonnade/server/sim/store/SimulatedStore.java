package dev.colonnade.server.sim.store;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.admin.ClusterOperations;
import dev.colonnade.server.service.admin.LiveOperations;
import dev.colonnade.server.service.admin.LocalOperations;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.service.coordinator.Coordinator;
import dev.colonnade.server.service.schemasync.LocalSchema;
import dev.colonnade.server.sim.GuardedFileSystem;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.sim.SortedArrayKeyIndexes;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.StorageOpening;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import dev.colonnade.server.storage.sstable.SSTableSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A store with its coordinator on simulated seams: one thread, virtual time, a disk that can crash.
 */
public final class SimulatedStore {

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Small limits everywhere, so that a short script rotates, flushes and merges. */
  public static final EngineSettings TINY =
      EngineSettingsBuilder.forHeap(64 << 20)
          .withSync(true, Duration.ofSeconds(1))
          .withLog(new CommitLogSettings(2 << 10, 16 << 10, 1 << 20))
          .withSSTables(
              FileSettings.withKeyIndexMinRows(
                  SSTableSettings.DEFAULT.withBlockBytes(1 << 10, 1 << 10), 4))
          .build();

  private static final LocalOperations.Memory NO_MEMORY =
      new LocalOperations.Memory() {
        @Override
        public long heapUsedBytes() {
          return 0;
        }

        @Override
        public long offheapUsedBytes() {
          return 0;
        }
      };

  private final SimFileSystem files;
  private final GuardedFileSystem guarded;
  private final SimClock clock;
  private final SimScheduler scheduler;
  private final StorageEngine engine;
  private final LocalSchema schema;
  private final Coordinator coordinator;
  private final Partitioner partitioner;
  private final LocalOperations operations;
  private final LiveOperations clusterOperations;
  private final Health health;

  private SimulatedStore(
      SimFileSystem files,
      GuardedFileSystem guarded,
      SimClock clock,
      SimScheduler scheduler,
      StorageOpening.Opened opened,
      Partitioner partitioner,
      Health health) {
    this.partitioner = partitioner;
    this.health = health;
    this.files = files;
    this.guarded = guarded;
    this.clock = clock;
    this.scheduler = scheduler;
    this.engine = opened.engine();
    this.schema =
        new LocalSchema(
            engine,
            opened.schema(),
            partitioner,
            clock,
            scheduler,
            // Another seed after each start, so that ids are not given twice.
            new SeededRandom(files.operations() + clock.wallMicros()).fork("schema"),
            new IncreasingTimestamps(clock));
    RingNode self = new RingNode("node", "127.0.0.1", 1, 1, "dc", "rack", List.of(new byte[] {1}));
    this.coordinator =
        new Coordinator(
            engine,
            schema,
            StandaloneCluster.of("sim", self, partitioner, "", ""),
            clock,
            scheduler);
    this.operations = new LocalOperations(engine, schema, scheduler, clock, NO_MEMORY, List::of);
    this.clusterOperations =
        new LiveOperations(
            engine,
            schema,
            StandaloneCluster.of("sim", self, partitioner, "", ""),
            operations,
            scheduler,
            LiveOperations.Others.NONE,
            health);
  }

  /** Opens what is on the disk, or makes a store there. */
  public static SimulatedStore open(SimFileSystem files, EngineSettings settings, SimClock clock)
      throws IOException, SchemaException {
    return open(files, settings, clock, Partitioners.RANDOM);
  }

  /** The same with another partitioner, which must be the same each time. */
  public static SimulatedStore open(
      SimFileSystem files, EngineSettings settings, SimClock clock, Partitioner partitioner)
      throws IOException, SchemaException {
    return open(files, settings, clock, partitioner, new SimScheduler(clock));
  }

  /** The same beside others on one queue of tasks, which is on that clock. */
  public static SimulatedStore open(
      SimFileSystem files,
      EngineSettings settings,
      SimClock clock,
      Partitioner partitioner,
      SimScheduler scheduler)
      throws IOException, SchemaException {
    return open(files, settings, clock, partitioner, scheduler, ComparatorResolver.builtIns());
  }

  /** The same with comparators of its own. */
  public static SimulatedStore open(
      SimFileSystem files,
      EngineSettings settings,
      SimClock clock,
      Partitioner partitioner,
      SimScheduler scheduler,
      ComparatorResolver types)
      throws IOException, SchemaException {
    SimParts parts = new SimParts(files, Optional.empty(), clock, scheduler);
    return open(parts, settings, partitioner, types);
  }

  /** Opens a store that archives its log. */
  public static SimulatedStore openArchiving(
      SimFileSystem files, FileSystem archive, EngineSettings settings, SimClock clock)
      throws IOException, SchemaException {
    SimParts parts = new SimParts(files, Optional.of(archive), clock, new SimScheduler(clock));
    return open(parts, settings, Partitioners.RANDOM, ComparatorResolver.builtIns());
  }

  private record SimParts(
      SimFileSystem files, Optional<FileSystem> archive, SimClock clock, SimScheduler scheduler) {}

  private static SimulatedStore open(
      SimParts parts, EngineSettings settings, Partitioner partitioner, ComparatorResolver types)
      throws IOException, SchemaException {
    SimFileSystem files = parts.files();
    SimClock clock = parts.clock();
    SimScheduler scheduler = parts.scheduler();
    files.stallsWith(scheduler::stall);
    GuardedFileSystem guarded = new GuardedFileSystem(files, scheduler);
    Environment environment =
        new Environment(
            clock,
            scheduler,
            new SeededRandom(1),
            guarded,
            guarded,
            new SortedArrayKeyIndexes(guarded),
            parts.archive());
    Health health = new Health();
    StorageOpening.Opened opened =
        StorageOpening.open(
            environment,
            settings,
            new NodeIdentity(1, 2, "sim", partitioner.name()),
            types,
            health);
    guarded.enforce(true);
    return new SimulatedStore(files, guarded, clock, scheduler, opened, partitioner, health);
  }

  /** The disk. */
  public SimFileSystem files() {
    return files;
  }

  /** The disk as the store sees it. */
  public GuardedFileSystem guarded() {
    return guarded;
  }

  /** What requests come to. */
  public Coordinator coordinator() {
    return coordinator;
  }

  /** What changes of schema come to. */
  public LocalSchema schema() {
    return schema;
  }

  /** What is wrong with it. */
  public Health health() {
    return health;
  }

  /** The store proper. */
  public StorageEngine engine() {
    return engine;
  }

  /** All its stages. */
  public SimScheduler scheduler() {
    return scheduler;
  }

  /** Its time. */
  public SimClock clock() {
    return clock;
  }

  /** The family of that name as it is now. */
  public ColumnFamily family(String keyspace, String name) {
    try {
      return schema.current().requireFamily(keyspace, name);
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }

  public LocalOperations operations() {
    return operations;
  }

  public ClusterOperations clusterOperations() {
    return clusterOperations;
  }

  public RowKey key(String text) {
    try {
      return partitioner.rowKey(text.getBytes(StandardCharsets.UTF_8));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  /** Where rows lie. */
  public Partitioner partitioner() {
    return partitioner;
  }

  /** Runs the simulation until the future is done, and gives its value. */
  public <T> T await(CompletableFuture<T> future) {
    scheduler.runUntil(future::isDone, PATIENCE);
    guarded.check();
    return future.join();
  }

  /**
   * Whether the future succeeded. A store whose disk is gone may never answer, which counts as
   * failure.
   */
  public boolean succeeds(CompletableFuture<?> future) {
    try {
      scheduler.runUntil(future::isDone, Duration.ofSeconds(3));
      future.join();
      return true;
    } catch (CompletionException | AssertionError failed) {
      return false;
    }
  }

  /** Closes the files of a store that is stopped. */
  public void release() throws IOException {
    guarded.check();
    guarded.enforce(false);
    engine.release();
  }

  /** Stops in order, as SIGTERM does. */
  public void close() throws IOException {
    await(engine.stop());
    scheduler.runUntilIdle();
    scheduler.shutDown();
    release();
  }
}
