package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.NoSpaceException;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.manifest.Edit;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.manifest.ManifestBrokenException;
import dev.colonnade.server.storage.manifest.ManifestFile;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableResources;
import dev.colonnade.server.storage.sstable.SSTableWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The set of live data files, and its changes.
 *
 * <ul>
 *   <li>Each change is one record of the manifest, and durable before readers see it.
 *   <li>Changes are made one at a time, on the manifest stage.
 *   <li>Before a flush becomes durable the log is synced, so that no write is durable before one
 *       that precedes it.
 *   <li>A file that the manifest may name is never deleted, also when writing the manifest failed.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class LiveFileSet {

  private static final Logger LOG = LoggerFactory.getLogger(LiveFileSet.class);

  /** The manifest needs no metadata: data files describe themselves. */
  private static final byte[] NO_METADATA = {};

  private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

  /** A change on the manifest stage. */
  private interface FileChange {
    void make() throws IOException;
  }

  private final Manifest manifest;
  private final CommitLog log;
  private final Scheduler scheduler;
  private final SSTableResources resources;
  private final String partitioner;
  private final Runnable syncLog;
  private final QuarantineHealth quarantines;
  private final Consumer<ManifestBrokenException> whenBroken;

  /**
   * Manages the live set of one node.
   *
   * @param syncLog makes the log durable; handles its own failures
   * @param whenBroken told when the manifest could not be written: no change can succeed any more
   */
  LiveFileSet(
      Manifest manifest,
      CommitLog log,
      Scheduler scheduler,
      SSTableResources resources,
      String partitioner,
      Runnable syncLog,
      QuarantineHealth quarantines,
      Consumer<ManifestBrokenException> whenBroken) {
    this.manifest = manifest;
    this.log = log;
    this.scheduler = scheduler;
    this.resources = resources;
    this.partitioner = partitioner;
    this.syncLog = syncLog;
    this.quarantines = quarantines;
    this.whenBroken = whenBroken;
  }

  /** Returns a writer of the family's next file. */
  SSTableWriter newFile(ColumnFamilyStore store) throws IOException {
    return SSTableWriter.create(resources, newIdentity(store));
  }

  /** Returns the identity of the family's next file. */
  SSTableIdentity newIdentity(ColumnFamilyStore store) {
    return new SSTableIdentity(
        store.directory(), store.nextGeneration(), store.id(), partitioner, store.order());
  }

  SSTableResources resources() {
    return resources;
  }

  /**
   * Replaces a memtable by its file, or removes it if it had nothing to write.
   *
   * @param written holds one reference, which the version takes over
   */
  CompletableFuture<Void> flushed(
      ColumnFamilyStore store, FamilyVersion.Flushing memtable, @Nullable SSTable written) {
    List<SSTable> added = written == null ? List.of() : List.of(written);
    return onManifest(
        () -> {
          if (store.isDropped() || !store.view().flushing().contains(memtable)) {
            added.forEach(LiveFileSet::discard);
            return;
          }
          // Earlier writes, also those to other families, must not become durable later than this
          // file: a power loss may take the last writes, but no write that precedes a surviving
          // one.
          syncLog.run();
          manifest.apply(Edit.flush(store.id(), liveFiles(added), memtable.upTo()));
          store.updateView(view -> view.flushed(memtable, added));
          store.counters().flushed(memtable.reason());
          releaseLogSegments(store, memtable.upTo());
          memtable.outcome().done(Optional.ofNullable(written).map(file -> nameOf(store, file)));
        },
        failure -> closeNewFiles(store, added, failure));
  }

  private static String nameOf(ColumnFamilyStore store, SSTable file) {
    return store.directory() + "/" + file.identity().generation();
  }

  /**
   * Replaces compacted files by their outputs; completes with false if the inputs are no longer
   * live, and the outputs are deleted then.
   *
   * @param outputs hold one reference each, which the version takes over
   */
  CompletableFuture<Boolean> compacted(
      ColumnFamilyStore store, List<SSTable> inputs, List<SSTable> outputs) {
    CompletableFuture<Boolean> taken = new CompletableFuture<>();
    Then.whenDone(
        onManifest(
            () -> {
              if (store.isDropped() || !store.view().tables().containsAll(inputs)) {
                outputs.forEach(LiveFileSet::discard);
                taken.complete(false);
                return;
              }
              Set<SSTable> gone = new HashSet<>(inputs);
              manifest.apply(Edit.replace(store.id(), liveFiles(outputs), generations(inputs)));
              store.updateView(view -> view.compacted(gone, outputs));
              inputs.forEach(LiveFileSet::discard);
              taken.complete(true);
            },
            failure -> closeNewFiles(store, outputs, failure)),
        taken,
        (done, failure) -> {
          if (failure != null) {
            taken.completeExceptionally(failure);
          }
        });
    return taken;
  }

  /**
   * Makes files with rows of other nodes part of the family. Fails, and deletes the files, if the
   * family was truncated or dropped since they were begun.
   *
   * @param files hold one reference each, which the version takes over
   * @param truncations of the store when they were begun
   */
  CompletableFuture<Void> ingested(ColumnFamilyStore store, List<SSTable> files, int truncations) {
    return onManifest(
        () -> {
          if (store.isDropped() || store.truncations() != truncations) {
            files.forEach(LiveFileSet::discard);
            throw new StoreStoppedException(
                store.definition().qualifiedName()
                    + " was truncated or dropped while rows for it were in transit");
          }
          manifest.apply(Edit.replace(store.id(), liveFiles(files), List.of()));
          store.updateView(view -> view.compacted(Set.of(), files));
          store.rowCache().clear();
        },
        failure -> {
          if (!(failure instanceof StoreStoppedException)) {
            closeNewFiles(store, files, failure);
          }
        });
  }

  /** Deletes a file that never became live. */
  static void forget(SSTable file) {
    discard(file);
  }

  /**
   * Removes everything of the family up to a log position; if that cannot be made durable,
   * everything stays.
   *
   * @param memtables the part of it that is in memory
   */
  CompletableFuture<Void> truncated(
      ColumnFamilyStore store, LogPosition upTo, List<FamilyVersion.Flushing> memtables) {
    return onManifest(
        () -> {
          List<SSTable> gone = store.view().tables();
          syncLog.run();
          manifest.apply(Edit.truncate(manifest.family(store.id()), upTo));
          store.noteTruncated();
          store.updateView(view -> view.truncated(memtables));
          quarantines.follow(store);
          store.rowCache().clear();
          memtables.forEach(memtable -> memtable.outcome().done(Optional.empty()));
          gone.forEach(LiveFileSet::discard);
          releaseLogSegments(store, upTo);
        },
        failure -> {});
  }

  /**
   * Removes the family with all its files. The schema change is durable already, so this is tried
   * until it succeeds; it fails only with the manifest.
   */
  CompletableFuture<Void> dropped(ColumnFamilyStore store) {
    store.drop();
    CompletableFuture<Void> done = new CompletableFuture<>();
    tryDrop(store, done);
    return done;
  }

  private void tryDrop(ColumnFamilyStore store, CompletableFuture<Void> done) {
    Then.whenDone(
        onManifest(() -> drop(store), failure -> {}),
        done,
        (dropped, failure) -> {
          if (failure == null) {
            done.complete(null);
          } else if (failure instanceof ManifestBrokenException) {
            done.completeExceptionally(failure);
          } else {
            LOG.warn(
                "could not delete the data of {}, which was dropped; trying again in {} s",
                store.definition().qualifiedName(),
                RETRY_DELAY.toSeconds(),
                failure);
            scheduler.after(RETRY_DELAY, Stage.MANIFEST, () -> tryDrop(store, done));
          }
        });
  }

  private void drop(ColumnFamilyStore store) throws IOException {
    List<SSTable> gone = store.view().tables();
    manifest.apply(Edit.drop(store.id()));
    store.updateView(view -> view.truncated(List.of()));
    quarantines.follow(store);
    store.forgetMemtables();
    gone.forEach(LiveFileSet::discard);
    releaseLogSegments(store.id());
  }

  /**
   * Quarantines a damaged live file: from now on it is not read, and its content is missing. Then
   * the file is moved out of the way; after a crash in between, the next start moves it.
   */
  CompletableFuture<Void> quarantine(ColumnFamilyStore store, SSTable table, Quarantined damaged) {
    return onManifest(
        () -> {
          if (store.isDropped() || !store.view().tables().contains(table)) {
            return;
          }
          manifest.apply(Edit.quarantine(store.id(), damaged.entry()));
          store.updateView(view -> view.without(table, damaged));
          quarantines.follow(store);
          store.rowCache().clear();
          table.release();
          QuarantineFiles.receive(resources.files(), table.identity());
        },
        failure -> {});
  }

  /** Sets aside the part of a hint that cannot be applied to the family, in a file of its own. */
  CompletableFuture<Void> setAside(
      ColumnFamilyStore store,
      Mutation hint,
      Mutation.FamilyMutation part,
      long nowSeconds,
      Throwable why) {
    return onManifest(
        () -> {
          if (store.isDropped()) {
            return;
          }
          SSTableIdentity place = newIdentity(store);
          FileSystem files = resources.files();
          Quarantined records;
          try (SetAsideWriter writer =
              new SetAsideWriter(files, store.directory(), store.id(), place.generation())) {
            writer.add(LogPosition.START, hint.key(), part.update(), hint.nowSeconds(), why);
            writer.finish();
            records =
                writer.quarantined(Quarantined.QuarantineKind.REFUSED_RECORDS, place, nowSeconds);
          }
          manifest.apply(Edit.setAside(store.id(), records.entry()));
          SetAsideWriter.publish(files, store.directory(), place.generation());
          store.updateView(view -> view.withSetAside(records));
          quarantines.follow(store);
          LOG.error(
              "a hint for {} cannot be applied ({}) and is set aside in {}; see 'Records that"
                  + " cannot be applied' in docs/operations.md",
              store.definition().qualifiedName(),
              records.reason(),
              records.path());
        },
        failure -> {});
  }

  /**
   * Removes a file of set-aside records after all of them were applied, so that nothing of them is
   * missing any more.
   */
  CompletableFuture<Void> applied(ColumnFamilyStore store, long generation) {
    return onManifest(
        () -> {
          if (manifest.family(store.id()).quarantined().containsKey(generation)) {
            String retired =
                SetAsideWriter.retire(resources.files(), store.directory(), generation);
            manifest.apply(Edit.giveUp(store.id(), generation));
            store.updateView(view -> view.givenUp(generation));
            quarantines.follow(store);
            resources.files().delete(retired);
          }
        },
        failure -> {});
  }

  /**
   * Replaces a file by itself, opened again because one of its auxiliary components was damaged.
   */
  CompletableFuture<Void> reopened(ColumnFamilyStore store, SSTable before, SSTable after) {
    return onManifest(
        () -> {
          if (!store.view().tables().contains(before)) {
            after.release();
            return;
          }
          store.updateView(view -> view.compacted(Set.of(before), List.of(after)));
          before.release();
        },
        failure -> after.release());
  }

  /**
   * Accepts the loss of what a quarantined file held.
   *
   * @return false if there is no such file
   */
  CompletableFuture<Boolean> acceptLoss(ColumnFamilyStore store, long generation) {
    CompletableFuture<Boolean> given = new CompletableFuture<>();
    Then.whenDone(
        onManifest(
            () -> {
              boolean known = manifest.family(store.id()).quarantined().containsKey(generation);
              if (known) {
                manifest.apply(Edit.giveUp(store.id(), generation));
                store.updateView(view -> view.givenUp(generation));
                quarantines.follow(store);
                LOG.warn(
                    "the loss of what the damaged file {} of {} held was accepted; the file stays"
                        + " in quarantine until an operator deletes it",
                    generation,
                    store.definition().qualifiedName());
              }
              given.complete(known);
            },
            failure -> {}),
        given,
        (done, failure) -> {
          if (failure != null) {
            given.completeExceptionally(failure);
          }
        });
    return given;
  }

  /** Lets the log release segments that only a dropped family needed. */
  private void releaseLogSegments(FamilyId dropped) {
    afterwards(() -> log.dropped(dropped));
  }

  private void releaseLogSegments(ColumnFamilyStore store, LogPosition upTo) {
    afterwards(() -> log.flushed(store.id(), upTo));
  }

  /**
   * Runs what follows a durable change. Whatever it throws, the change was made, so the callers
   * that wait must be told of success.
   */
  private static void afterwards(FileChange forgetting) {
    try {
      forgetting.make();
    } catch (IOException e) {
      LOG.warn("could not delete a segment of the commit log; it will be tried again", e);
    } catch (RuntimeException | Error e) {
      Errors.report("could not delete a segment of the commit log; it will be tried again", e);
    }
  }

  private static void discard(SSTable file) {
    file.markObsolete();
    file.release();
  }

  /**
   * Closes new files whose change failed. Deletes them only if the manifest surely does not name
   * them: after a failed write of the manifest, it may name them.
   */
  private static void closeNewFiles(
      ColumnFamilyStore store, List<SSTable> files, Throwable failure) {
    for (SSTable file : files) {
      if (failure instanceof OverloadedException || failure instanceof NoSpaceException) {
        discard(file);
      } else if (!store.view().tables().contains(file)) {
        file.release();
      }
    }
  }

  private static List<ManifestFile> liveFiles(List<SSTable> files) {
    return files.stream().map(file -> liveFile(file.identity().generation())).toList();
  }

  static ManifestFile liveFile(long generation) {
    return new ManifestFile(generation, NO_METADATA);
  }

  private static List<Long> generations(List<SSTable> files) {
    List<Long> generations = new ArrayList<>(files.size());
    for (SSTable file : files) {
      generations.add(file.identity().generation());
    }
    return generations;
  }

  private CompletableFuture<Void> onManifest(FileChange change, Consumer<Throwable> whenFailed) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    boolean queued =
        scheduler.submit(
            Stage.MANIFEST,
            () -> {
              try {
                change.make();
              } catch (IOException | RuntimeException | Error e) {
                failed(e, whenFailed, done);
                return;
              }
              done.complete(null);
            });
    if (!queued) {
      failed(new OverloadedException("the manifest stage"), whenFailed, done);
    }
    return done;
  }

  /** Whatever handling a failure throws, the callers that wait are told of the failure itself. */
  private void failed(
      Throwable failure, Consumer<Throwable> whenFailed, CompletableFuture<Void> done) {
    Errors.escalate(failure);
    try {
      if (failure instanceof ManifestBrokenException broken) {
        whenBroken.accept(broken);
      }
      whenFailed.accept(failure);
    } catch (RuntimeException | Error e) {
      Errors.report(
          "new files of a change that failed are left behind; the next start deletes them", e);
    } finally {
      done.completeExceptionally(failure);
    }
  }
}
