package dev.colonnade.server.engine;

import dev.colonnade.server.codec.CorruptFileException;
import dev.colonnade.server.compaction.Compaction;
import dev.colonnade.server.compaction.MergeRequest;
import dev.colonnade.server.compaction.SizeTieredPolicy;
import dev.colonnade.server.compaction.SizeTieredPolicy.Candidate;
import dev.colonnade.server.compaction.Throttle;
import dev.colonnade.server.env.Environment;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.schema.FamilyOptions;
import dev.colonnade.server.sstable.SSTable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges data files in the background, one merge at a time for each family, and has missing key
 * indexes rebuilt.
 *
 * <p>A file that turns out to be damaged is reported and not merged again.
 *
 * <p>Thread-safe.
 */
final class Compactor {

  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

  private static final Duration PROGRESS_PERIOD = Duration.ofMillis(500);

  private final Environment environment;
  private final LiveFiles live;
  private final DamageListener damage;
  private final DiskRoom room;
  private final Throttle throttle;
  private final int atomsPerStep;
  private final Set<Compaction> running = ConcurrentHashMap.newKeySet();

  /** The inputs of the merge that runs, by family. */
  private final Map<FamilyStore, Set<SSTable>> merging = new ConcurrentHashMap<>();

  private final Set<SSTable> damaged = ConcurrentHashMap.newKeySet();

  /** Files that a merge of their own could not make smaller; not tried alone again. */
  private final Set<SSTable> asSmallAsCanBe = ConcurrentHashMap.newKeySet();

  private volatile boolean stopped;

  Compactor(
      Environment environment,
      EngineSettings settings,
      LiveFiles live,
      DiskRoom room,
      DamageListener damage) {
    this.environment = environment;
    this.live = live;
    this.room = room;
    this.damage = damage;
    this.throttle = new Throttle(settings.compactionBytesPerSecond());
    this.atomsPerStep = settings.steps().mergeAtoms();
  }

  /** Starts the most urgent merge of the family, if there is one and none is running. */
  void consider(FamilyStore store) {
    FamilyOptions options = store.definition().options();
    if (stopped || store.isDropped() || options.maxCompactionThreshold() == 0) {
      return;
    }
    // Whoever wants everything merged comes before those who want some of it.
    if (store.waitingMerges().get() > 0 || !store.beginCompaction()) {
      return;
    }
    for (List<Candidate> choice : policy(options).choose(candidates(store, Set.of()))) {
      List<SSTable> inputs = tables(store, choice);
      if (hasRoom(store, inputs)) {
        var unused = merge(store, inputs, key -> true, new CompletableFuture<>());
        return;
      }
    }
    store.endCompaction();
  }

  /** A merge that nobody waits for is left for later; a smaller one may fit. */
  private boolean hasRoom(FamilyStore store, List<SSTable> inputs) {
    try {
      requireRoom(inputs);
      return true;
    } catch (IOException | DiskFullException e) {
      LOG.warn(
          "data files of {} are not merged now: {}",
          store.definition().qualifiedName(),
          e.getMessage());
      return false;
    }
  }

  private void requireRoom(List<SSTable> inputs) throws IOException {
    room.requireForMerge(inputs.stream().mapToLong(table -> table.stats().dataBytes()).sum());
  }

  private static SizeTieredPolicy policy(FamilyOptions options) {
    SizeTieredPolicy base = SizeTieredPolicy.DEFAULT;
    int least = Math.max(2, options.minCompactionThreshold());
    return new SizeTieredPolicy(
        least,
        Math.max(least, options.maxCompactionThreshold()),
        base.bucketLow(),
        base.bucketHigh(),
        base.tinyBytes(),
        base.droppableShare());
  }

  private List<Candidate> candidates(FamilyStore store, Set<SSTable> taken) {
    long now = environment.clock().wallSeconds();
    long grace = store.definition().options().gcGraceSeconds();
    List<SSTable> tables = store.view().tables();
    List<Candidate> candidates = new ArrayList<>();
    for (SSTable table : tables) {
      if (!damaged.contains(table) && !taken.contains(table)) {
        candidates.add(
            new Candidate(
                table.identity().generation(),
                table.stats().dataBytes(),
                asSmallAsCanBe.contains(table) ? 0 : table.stats().droppableShare(now, grace),
                tables.stream().anyMatch(other -> other != table && overlap(table, other))));
      }
    }
    return candidates;
  }

  private static boolean overlap(SSTable a, SSTable b) {
    return a.firstKey().compareTo(b.lastKey()) <= 0 && b.firstKey().compareTo(a.lastKey()) <= 0;
  }

  private static List<SSTable> tables(FamilyStore store, List<Candidate> chosen) {
    List<SSTable> tables = new ArrayList<>();
    for (SSTable table : store.view().tables()) {
      long generation = table.identity().generation();
      if (chosen.stream().anyMatch(candidate -> candidate.generation() == generation)) {
        tables.add(table);
      }
    }
    return tables;
  }

  /** Merges all files of a family into one, when what is in memory is in a file, too. */
  CompletableFuture<Void> startAfter(CompletableFuture<?> flush, FullMerge wish) {
    var unused =
        flush.whenComplete(
            (files, failure) -> {
              if (failure == null) {
                start(wish);
              } else {
                wish.done().completeExceptionally(failure);
              }
            });
    return wish.answer();
  }

  /** If a merge is running, it is waited for first. */
  private void start(FullMerge wish) {
    wish.reportsBy(environment.scheduler().every(PROGRESS_PERIOD, Stage.COMPACTION, wish::report));
    wish.store().waitingMerges().incrementAndGet();
    tryFullMerge(wish);
  }

  private void tryFullMerge(FullMerge wish) {
    FamilyStore store = wish.store();
    boolean over = stopped || store.isDropped() || wish.done().isDone();
    if (!over && !store.beginCompaction()) {
      environment.scheduler().after(PROGRESS_PERIOD, Stage.COMPACTION, () -> tryFullMerge(wish));
      return;
    }
    store.waitingMerges().decrementAndGet();
    if (over) {
      wish.done()
          .completeExceptionally(
              new StoreStoppedException("the node is shutting down, or the family was dropped"));
      consider(store);
      return;
    }
    List<SSTable> all = store.view().tables();
    if (all.isEmpty()) {
      store.endCompaction();
      wish.done().complete(null);
      return;
    }
    try {
      requireRoom(all);
    } catch (IOException | DiskFullException e) {
      store.endCompaction();
      wish.done().completeExceptionally(e);
      return;
    }
    merge(store, all, wish.keeps(), wish.done()).ifPresent(wish::runs);
  }

  private Optional<Compaction> merge(
      FamilyStore store,
      List<SSTable> inputs,
      Predicate<RowKey> keeps,
      CompletableFuture<Void> done) {
    if (!retainAll(inputs)) {
      // Truncated or dropped between choosing and holding.
      store.endCompaction();
      done.complete(null);
      return Optional.empty();
    }
    Set<SSTable> merged = new HashSet<>(inputs);
    MergeRequest request =
        new MergeRequest(
            inputs,
            live.resources(),
            live.newIdentity(store),
            store.definition().options().gcGraceSeconds(),
            environment.clock().wallSeconds(),
            atomsPerStep,
            keeps,
            key -> store.purgeableBelow(key, merged));
    Ending ending = new Ending(store, inputs, done);
    merging.put(store, merged);
    Optional<Compaction> started =
        Compaction.start(request, environment.scheduler(), environment.clock(), throttle, ending);
    if (started.isEmpty()) {
      merging.remove(store);
      inputs.forEach(SSTable::release);
      store.endCompaction();
      done.completeExceptionally(new OverloadedException("the compaction stage"));
      return started;
    }
    ending.began(started.get());
    return started;
  }

  private static boolean retainAll(List<SSTable> tables) {
    for (int i = 0; i < tables.size(); i++) {
      if (!tables.get(i).retain()) {
        tables.subList(0, i).forEach(SSTable::release);
        return false;
      }
    }
    return true;
  }

  /** Opens the key indexes of the family's files, which may mean to build them. */
  void openKeyIndexes(FamilyStore store) {
    for (SSTable table : store.view().tables()) {
      boolean queued =
          environment.scheduler().submit(Stage.COMPACTION, () -> openKeyIndex(store, table));
      if (!queued) {
        LOG.warn("no room to open key indexes now; the sparse indexes serve instead");
        return;
      }
    }
  }

  private void openKeyIndex(FamilyStore store, SSTable table) {
    if (!table.retain()) {
      return;
    }
    try {
      table.openKeyIndex();
    } catch (CorruptFileException damaged) {
      damage.found(store, damaged);
    } catch (IOException e) {
      LOG.warn(
          "no key index for data file {} of {}; the sparse index serves instead",
          table.identity().generation(),
          table.identity().directory(),
          e);
    } finally {
      table.release();
    }
  }

  /** Where the family's figures are read from. */
  FamilyFigure.Source figures(FamilyStore store) {
    return new FamilyFigure.Source(store, () -> pending(store));
  }

  /** Merges that run, that were asked for, and that are due. */
  private int pending(FamilyStore store) {
    FamilyOptions options = store.definition().options();
    int begun = store.waitingMerges().get() + (merging.containsKey(store) ? 1 : 0);
    if (options.maxCompactionThreshold() == 0) {
      return begun;
    }
    Set<SSTable> taken = merging.getOrDefault(store, Set.of());
    return begun + policy(options).choose(candidates(store, taken)).size();
  }

  /** Ends merges at their next step; none begins any more. */
  void stop() {
    stopped = true;
    running.forEach(Compaction::cancel);
  }

  /** What follows when a merge is over. */
  private final class Ending implements Compaction.Listener {
    private final FamilyStore store;
    private final List<SSTable> inputs;
    private final CompletableFuture<Void> done;
    private @Nullable Compaction compaction;
    private boolean over;

    Ending(FamilyStore store, List<SSTable> inputs, CompletableFuture<Void> done) {
      this.store = store;
      this.inputs = inputs;
      this.done = done;
    }

    @Override
    public void finished(Optional<SSTable> output) {
      List<SSTable> outputs = output.map(List::of).orElse(List.of());
      long before = inputs.stream().mapToLong(table -> table.stats().dataBytes()).sum();
      if (inputs.size() == 1 && output.isPresent() && output.get().stats().dataBytes() >= before) {
        asSmallAsCanBe.add(output.get());
      }
      long written = outputs.stream().mapToLong(SSTable::diskBytes).sum();
      var unused =
          live.compacted(store, inputs, outputs)
              .whenComplete(
                  (taken, failure) -> {
                    if (Boolean.TRUE.equals(taken)) {
                      store.counters().compacted(written);
                    }
                    damaged.removeAll(inputs);
                    asSmallAsCanBe.removeAll(inputs);
                    if (failure == null) {
                      end();
                      done.complete(null);
                      consider(store);
                    } else {
                      LOG.error(
                          "could not put a merged file of {} in place",
                          store.definition().qualifiedName(),
                          failure);
                      end();
                      done.completeExceptionally(failure);
                    }
                  });
    }

    @Override
    public void failed(Throwable failure) {
      LOG.error(
          "could not merge data files of {}; they stay as they are",
          store.definition().qualifiedName(),
          failure);
      if (failure instanceof CorruptFileException corrupt) {
        Optional<SSTable> input = DamageListener.damaged(corrupt, inputs);
        input.ifPresent(damaged::add);
        damage.found(store, corrupt);
      }
      end();
      done.completeExceptionally(failure);
    }

    @Override
    public void cancelled() {
      end();
      done.completeExceptionally(new StoreStoppedException("the merge was stopped"));
      consider(store);
    }

    /** It may be over before that can be noted. */
    synchronized void began(Compaction begun) {
      if (!over) {
        compaction = begun;
        running.add(begun);
      }
      if (stopped) {
        begun.cancel();
      }
    }

    private synchronized void end() {
      over = true;
      if (compaction != null) {
        running.remove(compaction);
      }
      merging.remove(store);
      inputs.forEach(SSTable::release);
      store.endCompaction();
    }
  }
}
