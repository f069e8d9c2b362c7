package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Places;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.readrepair.ResolvedRow;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coordinates reads. If the level needs only this node's own store, that is read directly; if it
 * fails, the other replicas are asked.
 *
 * <p>Thread-safe; never blocks.
 */
final class CoordinatedReads {

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatedReads.class);

  /**
   * Concurrent background read repairs; reads beyond this number are not repaired in the
   * background.
   */
  private static final int BACKGROUND_MAX = 256;

  private static final int PACES_MAX = 10_000;

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final ClusterView cluster;
  private final Clock clock;
  private final Deadlines deadlines;
  private final Replicas replicas;
  private final CoordinatorSettings settings;
  private final ReadRepairSampler sampler;

  /** The scan widths learned for each family; cleared now and then. */
  private final ConcurrentMap<FamilyId, ScanPace> paces = new ConcurrentHashMap<>();

  private final Places background = new Places(BACKGROUND_MAX);

  CoordinatedReads(
      StorageEngine engine,
      SchemaStore schema,
      ClusterView cluster,
      Clock clock,
      Deadlines deadlines,
      Replicas replicas,
      CoordinatorSettings settings,
      ReadRepairSampler sampler) {
    this.engine = engine;
    this.schema = schema;
    this.cluster = cluster;
    this.clock = clock;
    this.deadlines = deadlines;
    this.replicas = replicas;
    this.settings = settings;
    this.sampler = sampler;
  }

  /** A read from the replicas of a plan, after some were asked without success. */
  private interface Across<A> {
    CompletableFuture<A> read(ReadPlan plan, Keyspace keyspace, AskedReplicas before);
  }

  /** As {@link RowStore#read}. */
  CompletableFuture<SlicePage> slice(SliceRead read) {
    return ofRow(
        read.family(),
        read.key(),
        read.consistency(),
        (plan, keyspace) -> mendLater(plan, keyspace, read),
        () -> here(read),
        (plan, keyspace, before) -> across(read, keyspace, plan, before));
  }

  private CompletableFuture<SlicePage> here(SliceRead read) {
    LocalSlicePages turns =
        new LocalSlicePages(engine, clock, read, replicas.onlyHere(), clock.wallSeconds());
    turns.begin();
    return deadlines.limit(turns.answer(), read.consistency(), read.deadlineNanos());
  }

  private CompletableFuture<SlicePage> across(
      SliceRead read, Keyspace keyspace, ReadPlan plan, AskedReplicas before) {
    PagedRowSlice turns =
        new PagedRowSlice(
            engine,
            clock,
            replicas,
            plan,
            read,
            before,
            keyspace.durableWrites(),
            deadlines.ofReplicas(read.deadlineNanos(), settings));
    turns.begin();
    return turns.answer();
  }

  /** As {@link RowStore#count}. */
  CompletableFuture<CountAnswer> count(CountRead read) {
    return ofRow(
        read.family(),
        read.key(),
        read.consistency(),
        (plan, keyspace) -> {},
        () -> here(read),
        (plan, keyspace, before) -> across(read, keyspace, plan, before));
  }

  private CompletableFuture<CountAnswer> here(CountRead read) {
    LocalCountPages turns =
        new LocalCountPages(engine, clock, read, replicas.onlyHere(), clock.wallSeconds());
    turns.begin();
    return deadlines.limit(turns.answer(), read.consistency(), read.deadlineNanos());
  }

  private CompletableFuture<CountAnswer> across(
      CountRead read, Keyspace keyspace, ReadPlan plan, AskedReplicas before) {
    PagedRowCount turns =
        new PagedRowCount(
            engine,
            clock,
            replicas,
            plan,
            read,
            before,
            keyspace.durableWrites(),
            deadlines.ofReplicas(read.deadlineNanos(), settings));
    turns.begin();
    return turns.answer();
  }

  /** As {@link RowStore#readRange}. */
  CompletableFuture<RangePage> range(RangeRead read) {
    Optional<String> unready = cluster.unready();
    if (unready.isPresent()) {
      return CompletableFuture.failedFuture(new CoordinationException.NodeNotReady(unready.get()));
    }
    Keyspace keyspace = keyspace(read.family().keyspace());
    if (keyspace == null) {
      return dropped(read.family().keyspace());
    }
    Topology topology = cluster.topology();
    int required =
        ConsistencyRequirement.of(read.consistency(), keyspace, topology.self().datacenter())
            .required();
    long nowSeconds = clock.wallSeconds();
    boolean alone = topology.ring().nodes().size() == 1 && !topology.isChanging() && required == 1;
    if (alone && topology.ring().nodes().get(0).id().equals(cluster.nodeId())) {
      PagedRangeRead turns =
          new PagedRangeRead(
              new LocalRanges(engine, read, replicas.onlyHere(), nowSeconds),
              clock,
              read,
              1,
              read.deadlineNanos());
      turns.begin();
      return deadlines.limit(turns.answer(), read.consistency(), read.deadlineNanos());
    }
    long limitNanos = deadlines.ofReplicas(read.deadlineNanos(), settings);
    ClusterRanges source =
        new ClusterRanges(
            engine,
            replicas,
            topology,
            keyspace,
            read,
            pace(read.family().id()),
            nowSeconds,
            limitNanos);
    CoordinationException refusal = source.refusal();
    if (refusal != null) {
      return CompletableFuture.failedFuture(refusal);
    }
    PagedRangeRead turns = new PagedRangeRead(source, clock, read, required, limitNanos);
    turns.begin();
    return deadlines.limit(turns.answer(), read.consistency(), read.deadlineNanos());
  }

  private ScanPace pace(FamilyId family) {
    if (paces.size() > PACES_MAX) {
      paces.clear();
    }
    return paces.computeIfAbsent(family, none -> new ScanPace(settings.scanWidth()));
  }

  private @Nullable Keyspace keyspace(String name) {
    return schema.current().keyspace(name).orElse(null);
  }

  private static <A> CompletableFuture<A> dropped(String keyspace) {
    return CompletableFuture.failedFuture(
        new CoordinationException.NodeNotReady(
            "the keyspace " + keyspace + " was dropped while the request was under way"));
  }

  /**
   * Reads from one row.
   *
   * @param begun called with the plan if the level can be met
   */
  private <A> CompletableFuture<A> ofRow(
      ColumnFamily family,
      RowKey key,
      Consistency consistency,
      BiConsumer<ReadPlan, Keyspace> begun,
      Supplier<CompletableFuture<A>> here,
      Across<A> across) {
    Optional<String> unready = cluster.unready();
    if (unready.isPresent()) {
      return CompletableFuture.failedFuture(new CoordinationException.NodeNotReady(unready.get()));
    }
    Keyspace keyspace = keyspace(family.keyspace());
    if (keyspace == null) {
      return dropped(family.keyspace());
    }
    Topology topology = cluster.topology();
    ReadPlan plan =
        ReadPlan.of(consistency, keyspace, topology, key.token(), replicas.tools().sorter());
    if (!plan.isMet()) {
      return CompletableFuture.failedFuture(plan.refusal());
    }
    begun.accept(plan, keyspace);
    return either(plan, topology, here, (others, before) -> across.read(others, keyspace, before));
  }

  /** Reads this node's store if that is enough, otherwise, or if it fails, the other replicas. */
  private <A> CompletableFuture<A> either(
      ReadPlan plan,
      Topology topology,
      Supplier<CompletableFuture<A>> here,
      BiFunction<ReadPlan, AskedReplicas, CompletableFuture<A>> across) {
    if (!replicas.isHereOnly(plan)) {
      return across.apply(plan, AskedReplicas.NONE);
    }
    CompletableFuture<A> own = here.get();
    if (plan.spares().isEmpty() || (own.isDone() && !own.isCompletedExceptionally())) {
      return own;
    }
    RingNode self = topology.self();
    return Futures.instead(
        own,
        failure -> failure instanceof CoordinationException && !isLate(failure),
        () -> across.apply(plan.without(self), replicas.inVainHere()));
  }

  private static boolean isLate(Throwable failure) {
    return failure instanceof CoordinationException.ReplicaTimeout;
  }

  /**
   * Compares all replicas for a sample of the reads whose level does not ensure by itself that
   * replicas agree. Runs in the background; the caller does not wait.
   */
  private void mendLater(ReadPlan plan, Keyspace keyspace, SliceRead read) {
    if (plan.alive().size() <= plan.asked().size()
        || !plan.isWeak(keyspace)
        || !sampler.happens(read.family().options().readRepairChance())) {
      return;
    }
    Claim place = background.claim();
    if (place == null) {
      return;
    }
    replicas.tools().counters().inBackground.increment();
    Then.whenDone(
        place.until(Then.called(() -> compare(plan, keyspace, read))),
        (done, failure) -> {
          if (failure != null) {
            LOG.debug("replicas of a row could not be compared", failure);
          }
        });
  }

  private CompletableFuture<?> compare(ReadPlan plan, Keyspace keyspace, SliceRead read) {
    SliceCommand query =
        new SliceCommand(
            read.key(),
            read.slice(),
            read.from(),
            Math.min(read.pageBytes(), ReplicaReads.PART_BYTES_MAX),
            clock.wallSeconds());
    RowReadCommand question = new RowReadCommand(engine, read.family(), query);
    return new ReplicaRead<RowFragment, ResolvedRow>(
            replicas,
            plan.ofAll(),
            question,
            keyspace.durableWrites(),
            clock.monotonicNanos() + settings.timeout().toNanos())
        .begin();
  }
}
