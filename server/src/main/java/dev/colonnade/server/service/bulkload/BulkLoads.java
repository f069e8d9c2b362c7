package dev.colonnade.server.service.bulkload;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Places;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.async.Throttle;
import dev.colonnade.server.base.config.BulkLoadSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.repair.RepairTask;
import dev.colonnade.server.cluster.repair.RepairTasks;
import dev.colonnade.server.service.bulkload.BulkLoadException.Refusal;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.StorageFailures;
import dev.colonnade.server.storage.engine.RangeIngest;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The loads of a node: a bounded number, which share one rate. Thread-safe. */
public final class BulkLoads implements BulkLoader {
  private static final Duration SWEEP_PERIOD = Duration.ofSeconds(5);

  /**
   * How many loads, how fast, and how silent.
   *
   * @param concurrency loads that are open at a time
   * @param bytesPerSecond of all loads together, as chunks are encoded; 0 for no limit
   * @param idleTimeout how long a client may say nothing
   */
  public record Settings(int concurrency, long bytesPerSecond, Duration idleTimeout) {

    /** As the operator set them. */
    public static Settings of(NodeSettings settings) {
      return new Settings(
          settings.get(BulkLoadSettings.CONCURRENCY),
          settings.get(BulkLoadSettings.BYTES_PER_SECOND),
          settings.get(BulkLoadSettings.IDLE_TIMEOUT));
    }
  }

  /** What all loads of a node share. */
  record Shared(
      Supplier<Schema> schema,
      RangeOwners owners,
      Clock clock,
      Scheduler scheduler,
      Settings settings,
      Throttle throttle,
      Counters counters) {

    /** What a failure of the store means for a load. */
    Throwable translated(LoadTarget target, Throwable failure) {
      if (failure instanceof StoreStoppedException && hasChanged(target)) {
        return new BulkLoadException(
            Refusal.FAMILY_CHANGED,
            target.family().qualifiedName()
                + " was truncated or dropped since this load was planned; nothing of it is left");
      }
      return StorageFailures.translate(failure);
    }

    private boolean hasChanged(LoadTarget target) {
      Optional<ColumnFamily> now = schema.get().family(target.family().id());
      return now.isEmpty() || now.get().truncation() > target.truncation();
    }
  }

  /** What was loaded since the start. */
  static final class Counters {
    private final LongAdder loads = new LongAdder();
    private final LongAdder rows = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    void committed(BulkLoad.Committed load) {
      loads.increment();
      rows.add(load.rows());
      bytes.add(load.bytes());
    }
  }

  /**
   * The figures of a node's loads.
   *
   * @param open now
   * @param loads committed since the start
   * @param rows of these
   * @param bytes of these, as they were encoded
   * @param pendingRepairs ranges that other replicas lack rows of
   */
  public record Figures(int open, long loads, long rows, long bytes, int pendingRepairs) {}

  private final StorageEngine engine;
  private final ClusterView cluster;
  private final RepairTasks repairs;
  private final Shared shared;
  private final Places places;
  private final Set<BulkLoad> open = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;
  private Scheduler.@Nullable Cancellable sweep;

  /**
   * Creates them with no load open.
   *
   * @param repairs for what other replicas lack
   */
  public BulkLoads(
      StorageEngine engine,
      Supplier<Schema> schema,
      ClusterView cluster,
      Clock clock,
      Scheduler scheduler,
      Settings settings,
      RepairTasks repairs) {
    this.engine = engine;
    this.cluster = cluster;
    this.repairs = repairs;
    this.shared =
        new Shared(
            schema,
            new RangeOwners(cluster::topology),
            clock,
            scheduler,
            settings,
            new Throttle(settings.bytesPerSecond()),
            new Counters());
    this.places = new Places(settings.concurrency());
  }

  /**
   * Starts checking for loads whose clients say nothing, and making repairs that are due; for a
   * node that gossips.
   */
  public synchronized void start() {
    repairs.start();
    sweep =
        shared
            .scheduler()
            .every(SWEEP_PERIOD, Stage.COMPACTION, () -> open.forEach(BulkLoad::checkIdle));
  }

  /** Changes the rate of all loads together, in bytes a second; 0 for no limit. */
  public void bytesPerSecond(long bytesPerSecond) {
    shared.throttle().bytesPerSecond(bytesPerSecond);
  }

  @Override
  public BulkLoad open(LoadTarget target) {
    Optional<String> unready = cluster.unready();
    if (unready.isPresent()) {
      throw new CoordinationException.NodeNotReady(unready.get());
    }
    shared.owners().require(target);
    Claim place = places.claim();
    if (place == null) {
      throw new CoordinationException.Overloaded(
          "bulk loads at a time (setting bulk_load_concurrency)");
    }
    BulkLoad load;
    try {
      load = new BulkLoad(shared, target, ingest(target), place);
    } catch (RuntimeException | Error e) {
      place.close();
      throw e;
    }
    open.add(load);
    Then.whenDone(load.ended(), (done, failure) -> open.remove(load));
    if (stopped) {
      load.stop();
    }
    return load;
  }

  @Override
  public CompletableFuture<Boolean> scheduleRepair(Keyspace keyspace, RepairTask task) {
    shared.owners().requireReplica(keyspace, task.ranges(), cluster.nodeId());
    shared.owners().requireReplica(keyspace, task.ranges(), task.nodeId());
    return repairs
        .add(task)
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(StorageFailures.translate(failure)));
  }

  private RangeIngest ingest(LoadTarget target) {
    try {
      return engine.ingest(target.family().id(), target.truncation());
    } catch (RuntimeException e) {
      Throwable why = shared.translated(target, Errors.escalate(e));
      throw why instanceof RuntimeException refusal ? refusal : e;
    }
  }

  /** What was loaded, and what is open. */
  public Figures figures() {
    Counters counters = shared.counters();
    return new Figures(
        places.taken(),
        counters.loads.sum(),
        counters.rows.sum(),
        counters.bytes.sum(),
        repairs.pending());
  }

  /** Ends all loads, and takes no more; completes when they have released their files. */
  public CompletableFuture<Void> stop() {
    stopped = true;
    repairs.stop();
    synchronized (this) {
      if (sweep != null) {
        sweep.cancel();
      }
    }
    List<BulkLoad> running = List.copyOf(open);
    running.forEach(BulkLoad::stop);
    return CompletableFuture.allOf(
        running.stream()
            .map(load -> load.ended().exceptionally(failure -> null))
            .toArray(CompletableFuture<?>[]::new));
  }
}
