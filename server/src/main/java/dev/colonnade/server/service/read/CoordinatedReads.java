package dev.colonnade.server.service.read;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.async.Places;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.ConsistencyRequirement;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.service.consistency.Deadlines;
import dev.colonnade.server.service.consistency.ReadAnswer;
import dev.colonnade.server.service.consistency.ReadPlan;
import dev.colonnade.server.service.consistency.Replicas;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.replica.PagedRead;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coordinates reads: turns a request into a sequence of read commands, and answers each from this
 * node's own store or from as many replicas as the level requires.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>One request has one topology and one time against which expiry is judged, however many
 *       turns it takes.
 *   <li>Whether enough replicas are up is decided before the first turn.
 *   <li>A turn answers a page as one store with everything would answer it; what follows cannot
 *       tell a local page from a resolved one.
 *   <li>If the own store is all that the level needs, it is read without messages. If it fails,
 *       other than by being late, the other replicas are asked, and the answer names both.
 *   <li>No answer comes after the deadline. Cancelling an answer cancels the turn in progress, here
 *       and on the replicas.
 *   <li>Comparing replicas in the background never delays an answer, and is left out when too many
 *       comparisons run.
 * </ul>
 *
 * <p>Threads: a turn begins on the thread that brought the result of the one before. The own store
 * is read on the caller's thread in the first turn only ({@link PagedRead#mode}).
 *
 * <p>Refused: a class for each of local and replicated, slice and count. A count is a slice whose
 * cells are not wanted, and replicas are one more source of {@link ReadAnswer}s; the wrapper takes
 * nothing measurable from a hot local read (0.5 microseconds for ten columns, before and after).
 *
 * <p>Thread-safe; never blocks.
 */
public final class CoordinatedReads {

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

  public CoordinatedReads(
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

  /** As {@link RowStore#read}. */
  public CompletableFuture<SlicePage> slice(SliceRead read) {
    Optional<String> unready = cluster.unready();
    if (unready.isPresent()) {
      return CompletableFuture.failedFuture(new CoordinationException.NodeNotReady(unready.get()));
    }
    Keyspace keyspace = keyspace(read.family().keyspace());
    if (keyspace == null) {
      return dropped(read.family().keyspace());
    }
    Topology topology = cluster.topology();
    ReadPlan plan =
        ReadPlan.of(
            read.consistency(), keyspace, topology, read.key().token(), replicas.tools().sorter());
    if (!plan.isMet()) {
      return CompletableFuture.failedFuture(plan.refusal());
    }
    CallTrace trace = read.trace();
    if (trace != null) {
      trace.add(CallTrace.Step.PLANNED, "", plan.inWords());
    }
    if (!read.countOnly()) {
      mendLater(plan, keyspace, read);
    }
    if (!replicas.isHereOnly(plan)) {
      return across(read, keyspace, plan, AskedReplicas.NONE);
    }
    CompletableFuture<SlicePage> own = here(read);
    if (plan.spares().isEmpty() || (own.isDone() && !own.isCompletedExceptionally())) {
      return own;
    }
    return Futures.instead(
        own,
        failure -> failure instanceof CoordinationException && !isLate(failure),
        () -> across(read, keyspace, plan.without(topology.self()), replicas.inVainHere()));
  }

  private static boolean isLate(Throwable failure) {
    return failure instanceof CoordinationException.ReplicaTimeout;
  }

  private CompletableFuture<SlicePage> here(SliceRead read) {
    FamilyId family = read.family().id();
    PagedRowRead turns =
        new PagedRowRead(
            (command, mode) ->
                replicas.readHere(
                    family, command, ReadOutput.rowPage(read.sinks()), mode, read.trace()),
            clock,
            read,
            1,
            AskedReplicas.NONE,
            read.deadlineNanos());
    turns.begin();
    return deadlines.limit(turns.answer(), read.consistency(), read.deadlineNanos());
  }

  /**
   * Reads from the replicas of a plan.
   *
   * @param before replicas that were asked without success
   */
  private CompletableFuture<SlicePage> across(
      SliceRead read, Keyspace keyspace, ReadPlan plan, AskedReplicas before) {
    long limitNanos = deadlines.ofReplicas(read.deadlineNanos(), settings);
    PagedRowRead turns =
        new PagedRowRead(
            (command, here) ->
                new ReplicaRead<>(
                        replicas,
                        plan,
                        ReplicaReadCommand.of(engine, read.family(), command, here),
                        keyspace.durableWrites(),
                        limitNanos,
                        read.trace())
                    .begin(),
            clock,
            read,
            plan.requirement().required(),
            before,
            limitNanos);
    turns.begin();
    return turns.answer();
  }

  /** As {@link RowStore#readRange}. */
  public CompletableFuture<RangePage> range(RangeRead read) {
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
    boolean alone = topology.ring().nodes().size() == 1 && !topology.isChanging() && required == 1;
    if (alone && topology.ring().nodes().get(0).id().equals(cluster.nodeId())) {
      PagedRangeRead turns =
          new PagedRangeRead(
              (command, mode) ->
                  Futures.map(
                      replicas.readHere(
                          read.family().id(),
                          command,
                          ReadOutput.rangePage(read.sinks()),
                          mode,
                          read.trace()),
                      RangeSource.ScanPart::of),
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
            engine, replicas, topology, keyspace, read, pace(read.family().id()), limitNanos);
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
            "the keyspace " + keyspace + " was dropped during the request"));
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
    return new ReplicaRead<>(
            replicas,
            plan.ofAll(),
            ReplicaReadCommand.of(
                engine,
                read.family(),
                read.command(read.from(), clock.wallSeconds()),
                read.from().isEmpty() ? ReadMode.INLINE : ReadMode.OFFLOADED),
            keyspace.durableWrites(),
            deadlines.ofOwn(),
            null)
        .begin();
  }
}
