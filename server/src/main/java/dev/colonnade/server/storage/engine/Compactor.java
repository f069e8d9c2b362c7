package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.health.RepeatedFailures;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.compaction.Compaction;
import dev.colonnade.server.storage.compaction.MergeRequest;
import dev.colonnade.server.storage.mutation.DiskFullException;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.sstable.SSTable;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compacts data files in the background.
 *
 * <ul>
 *   <li>Several compactions of a family run side by side if they share no file ({@link
 *       RunningMerges}).
 *   <li>A major compaction goes before the automatic ones: while one is pending, none of these
 *       begins.
 *   <li>A file that turns out to be damaged is reported and not compacted again.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class Compactor {

  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

  private static final Duration PROGRESS_PERIOD = Duration.ofMillis(500);

  /** Between a failed merge and the next attempt, if no flush comes before. */
  private static final Duration RETRY_DELAY = Duration.ofMinutes(1);

  private final Environment environment;
  private final LiveFileSet liveFiles;
  private final DamageListener damage;
  private final RepeatedFailures failures;
  private final DiskSpaceGuard diskSpace;
  private final CompactionPace pace;
  private final int atomsPerStep;
  private final MergeChoices choices;

  /** Families that are looked at again because a merge failed. */
  private final Set<ColumnFamilyStore> retrying = ConcurrentHashMap.newKeySet();

  private final Map<Compaction, ColumnFamilyStore> running = new ConcurrentHashMap<>();

  private volatile boolean stopped;

  Compactor(
      Environment environment,
      EngineSettings settings,
      LiveFileSet liveFiles,
      DiskSpaceGuard diskSpace,
      DamageListener damage,
      Health health) {
    this.environment = environment;
    this.liveFiles = liveFiles;
    this.diskSpace = diskSpace;
    this.damage = damage;
    this.failures = new RepeatedFailures(health, Condition.MERGE, Impact.NONE, Impact.NOTICE);
    this.pace = new CompactionPace(settings.compactionBytesPerSecond(), settings.familyFilesMax());
    this.atomsPerStep = settings.steps().mergeAtoms();
    this.choices = new MergeChoices(environment.clock());
  }

  /**
   * Starts the family's compactions that are due, the most urgent first, as far as they may run.
   */
  void consider(ColumnFamilyStore store) {
    // A pending major compaction goes before the automatic ones.
    if (store.isDropped()) {
      failures.over(store.definition().qualifiedName());
    }
    if (stopped || store.isDropped() || store.pendingMajorCompactions() > 0) {
      return;
    }
    followFiles();
    try {
      List<List<SSTable>> due = choices.of(store, store.merges().files());
      if (due.isEmpty() && store.merges().count() == 0) {
        failures.over(store.definition().qualifiedName());
      }
      for (List<SSTable> inputs : due) {
        if (hasRoom(store, inputs)) {
          Claim turn = store.merges().begin(inputs);
          if (turn != null) {
            merge(store, turn, inputs, key -> true, new CompletableFuture<>());
          }
        }
      }
    } catch (RuntimeException | Error e) {
      Errors.report(
          "data files of " + store.definition().qualifiedName() + " could not be examined", e);
      cannotMerge(store);
    }
  }

  private void cannotMerge(ColumnFamilyStore store) {
    failures.failed(
        store.definition().qualifiedName(),
        "its data files cannot be merged; see the node's log for the cause: reads get slower and"
            + " deleted data stays");
  }

  /** Looks at the family again, if nothing else has it looked at before. */
  private void retryLater(ColumnFamilyStore store) {
    if (stopped || !retrying.add(store)) {
      return;
    }
    try {
      environment
          .scheduler()
          .after(
              RETRY_DELAY,
              Stage.COMPACTION,
              () -> {
                retrying.remove(store);
                consider(store);
              });
    } catch (RejectedExecutionException full) {
      retrying.remove(store);
      LOG.warn(
          "cannot schedule another merge of {}; its next flush will",
          store.definition().qualifiedName(),
          full);
    }
  }

  /** Changes what one compaction may read in a second while there are few files; 0 for no limit. */
  void bytesPerSecond(long changed) {
    pace.bytesPerSecond(changed);
    followFiles();
  }

  private void followFiles() {
    int files =
        running.values().stream().mapToInt(store -> store.view().tables().size()).max().orElse(0);
    pace.follow(running.size(), files);
  }

  /**
   * Whether the disk has room for the output. If not, the compaction is left for later; nothing
   * waits for it, and a smaller one may fit.
   */
  private boolean hasRoom(ColumnFamilyStore store, List<SSTable> inputs) {
    try {
      requireRoom(inputs);
      return true;
    } catch (IOException | DiskFullException e) {
      LOG.warn(
          "data files of {} are not merged now: {}",
          store.definition().qualifiedName(),
          e.getMessage());
      cannotMerge(store);
      return false;
    }
  }

  private void requireRoom(List<SSTable> inputs) throws IOException {
    long begun =
        running.keySet().stream().mapToLong(merge -> merge.totalBytes() - merge.doneBytes()).sum();
    diskSpace.requireForMerge(
        begun + inputs.stream().mapToLong(table -> table.stats().dataBytes()).sum());
  }

  /** Compacts all files of a family into one, after its memtables have been flushed. */
  CompletableFuture<Void> startAfter(CompletableFuture<?> flush, MajorCompaction request) {
    Then.whenDone(
        flush,
        request.done(),
        (files, failure) -> {
          if (failure == null) {
            start(request);
          } else {
            request.done().completeExceptionally(failure);
          }
        });
    return request.answer();
  }

  /** Starts a major compaction after those that are running have ended. */
  private void start(MajorCompaction request) {
    request.reportsBy(
        environment.scheduler().every(PROGRESS_PERIOD, Stage.COMPACTION, request::report));
    Claim waiting = request.store().beginPendingCompaction();
    Then.whenDone(request.done(), (done, failure) -> waiting.close());
    tryMajorCompaction(request, waiting);
  }

  private void tryMajorCompaction(MajorCompaction request, Claim waiting) {
    Then.onBehalfOf(
        request.done(),
        () -> {
          ColumnFamilyStore store = request.store();
          if (stopped || store.isDropped() || request.done().isDone()) {
            waiting.close();
            request
                .done()
                .completeExceptionally(
                    new StoreStoppedException(
                        "the node is shutting down, or the family was dropped"));
            consider(store);
            return;
          }
          List<SSTable> all = store.view().tables();
          Claim turn = store.merges().beginAlone(all);
          if (turn == null) {
            environment
                .scheduler()
                .after(
                    PROGRESS_PERIOD, Stage.COMPACTION, () -> tryMajorCompaction(request, waiting));
            return;
          }
          waiting.close();
          majorCompaction(request, turn, all);
        });
  }

  private void majorCompaction(MajorCompaction request, Claim turn, List<SSTable> all) {
    if (all.isEmpty()) {
      turn.close();
      request.done().complete(null);
      return;
    }
    try {
      requireRoom(all);
    } catch (IOException | RuntimeException | Error e) {
      turn.close();
      request.done().completeExceptionally(Errors.escalate(e));
      return;
    }
    merge(request.store(), turn, all, request.keeps(), request.done()).ifPresent(request::runs);
  }

  /**
   * Compacts files, or fails {@code done}; throws nothing.
   *
   * @param turn of the family, released at the end
   */
  private Optional<Compaction> merge(
      ColumnFamilyStore store,
      Claim turn,
      List<SSTable> inputs,
      Predicate<RowKey> keeps,
      CompletableFuture<Void> done) {
    if (!retainAll(inputs)) {
      // The family was truncated or dropped between choosing and holding.
      turn.close();
      done.complete(null);
      return Optional.empty();
    }
    CompactionEnd ending =
        new CompactionEnd(
            store,
            inputs,
            Claim.of(
                () -> {
                  turn.close();
                  inputs.forEach(SSTable::release);
                }),
            done);
    try {
      Set<SSTable> merged = new HashSet<>(inputs);
      MergeRequest request =
          new MergeRequest(
              inputs,
              liveFiles.resources(),
              liveFiles.newIdentity(store),
              store.definition().options().gcGraceSeconds(),
              environment.clock().wallSeconds(),
              atomsPerStep,
              keeps,
              key -> store.purgeableBelow(key, merged));
      Optional<Compaction> started =
          Compaction.start(
              request, environment.scheduler(), environment.clock(), pace.throttle(), ending);
      if (started.isEmpty()) {
        ending.end();
        done.completeExceptionally(new OverloadedException("the compaction stage"));
      } else {
        ending.began(started.get());
      }
      return started;
    } catch (RuntimeException | Error e) {
      ending.failed(e);
      return Optional.empty();
    }
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

  /** Returns where the family's figures are read from. */
  FamilyFigure.FigureSource figures(ColumnFamilyStore store) {
    return new FamilyFigure.FigureSource(store, () -> pending(store));
  }

  /** Counts compactions that run, that were requested, and that will follow them. */
  private int pending(ColumnFamilyStore store) {
    RunningMerges merges = store.merges();
    return store.pendingMajorCompactions() + merges.count() + choices.left(store, merges.inputs());
  }

  /** The compactions that run. */
  List<MergeFigures> merges() {
    List<MergeFigures> merges = new ArrayList<>();
    running.forEach(
        (merge, store) ->
            merges.add(
                new MergeFigures(
                    store.definition().keyspace(),
                    store.definition().name(),
                    merge.inputs().size(),
                    merge.doneBytes(),
                    merge.totalBytes())));
    return merges;
  }

  /** Reports which compactions run, and their progress. */
  void report(Watched.Observer observer) {
    for (Compaction merge : running.keySet()) {
      SSTable first = merge.inputs().get(0);
      observer.inTurns(
          "merge",
          first.identity().directory() + " from file " + first.identity().generation() + " on",
          merge.steps(),
          () -> merge.doneBytes() + " of " + merge.totalBytes() + " bytes are merged");
    }
  }

  /** Ends compactions at their next step; no further one begins. */
  void stop() {
    stopped = true;
    running.keySet().forEach(Compaction::cancel);
  }

  /** Cleans up after a compaction, however it ended: releases its files and its turn. */
  private final class CompactionEnd implements Compaction.CompactionListener {
    private final ColumnFamilyStore store;
    private final List<SSTable> inputs;
    private final Claim held;
    private final CompletableFuture<Void> done;
    private @Nullable Compaction compaction;
    private boolean over;

    CompactionEnd(
        ColumnFamilyStore store, List<SSTable> inputs, Claim held, CompletableFuture<Void> done) {
      this.store = store;
      this.inputs = inputs;
      this.held = held;
      this.done = done;
    }

    @Override
    public void finished(Optional<SSTable> output) {
      List<SSTable> outputs = output.map(List::of).orElse(List.of());
      long before = inputs.stream().mapToLong(table -> table.stats().dataBytes()).sum();
      if (inputs.size() == 1 && output.isPresent() && output.get().stats().dataBytes() >= before) {
        choices.notShrinkable(output.get());
      }
      long written = outputs.stream().mapToLong(SSTable::diskBytes).sum();
      Then.whenDone(
          Then.called(() -> liveFiles.compacted(store, inputs, outputs)),
          done,
          (taken, failure) -> {
            if (Boolean.TRUE.equals(taken)) {
              store.counters().compacted(written);
              failures.over(store.definition().qualifiedName());
            }
            choices.forget(inputs);
            end();
            if (failure == null) {
              done.complete(null);
              consider(store);
            } else {
              LOG.error(
                  "could not put a merged file of {} in place",
                  store.definition().qualifiedName(),
                  failure);
              done.completeExceptionally(failure);
            }
          });
    }

    @Override
    public void failed(Throwable failure) {
      end();
      Errors.report(
          "could not merge data files of "
              + store.definition().qualifiedName()
              + "; they stay as they are",
          failure);
      done.completeExceptionally(failure);
      if (failure instanceof CorruptFileException corrupt) {
        DamageListener.damaged(corrupt, inputs).ifPresent(choices::damaged);
        damage.found(store, corrupt);
      } else {
        cannotMerge(store);
        retryLater(store);
      }
    }

    @Override
    public void cancelled() {
      end();
      done.completeExceptionally(new StoreStoppedException("the merge was stopped"));
      consider(store);
    }

    /** Records the compaction that began; it may be over before that. */
    synchronized void began(Compaction begun) {
      if (!over) {
        compaction = begun;
        running.put(begun, store);
        followFiles();
      }
      if (stopped) {
        begun.cancel();
      }
    }

    private synchronized void end() {
      over = true;
      held.close();
      if (compaction != null) {
        running.remove(compaction);
        followFiles();
      }
    }
  }
}
