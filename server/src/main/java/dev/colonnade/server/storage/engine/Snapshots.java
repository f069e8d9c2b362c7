package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.AsyncLoop;
import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Slot;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.async.Throttle;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import dev.colonnade.server.storage.snapshot.SnapshotFamily;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import dev.colonnade.server.storage.snapshot.SnapshotMoment;
import dev.colonnade.server.storage.snapshot.SnapshotRefusedException;
import dev.colonnade.server.storage.snapshot.SnapshotWriter;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes, lists and clears snapshots of the live files.
 *
 * <p>A snapshot has every write that was acknowledged before it was asked for, and is one moment of
 * all its families: what the log has up to one position, and nothing else. {@link FilesAtMoment}
 * holds the files of that moment until they are linked, so merges go on while checksums are
 * computed.
 *
 * <p>Thread-safe; never blocks. One snapshot is taken or cleared at a time.
 */
public final class Snapshots {

  /** How much is read for checksums before other work of the stage has its turn. */
  private static final long STEP_BYTES = 1L << 20;

  /** How often a snapshot looks for a moment without a truncation before it is refused. */
  private static final int MOMENTS_MAX = 60;

  private static final Duration BETWEEN_MOMENTS = Duration.ofSeconds(1);

  /** The work on the disk. */
  private interface DiskWork<T> {
    T run() throws IOException;
  }

  private final SnapshotDirectory directory;
  private final ColumnFamilyStores families;
  private final Scheduler scheduler;
  private final Function<List<ColumnFamilyStore>, CompletableFuture<FilesAtMoment>> hold;
  private final Clock clock;
  private final Throttle throttle;
  private final Slot slot = new Slot();

  /**
   * Creates it.
   *
   * @param hold flushes families and holds their files
   * @param bytesPerSecond how fast files are read for their checksums; 0 for no limit
   */
  Snapshots(
      Environment environment,
      ColumnFamilyStores families,
      Function<List<ColumnFamilyStore>, CompletableFuture<FilesAtMoment>> hold,
      long bytesPerSecond) {
    this.directory = new SnapshotDirectory(environment.files());
    this.families = families;
    this.scheduler = environment.scheduler();
    this.clock = environment.clock();
    this.hold = hold;
    this.throttle = new Throttle(bytesPerSecond);
  }

  /** Changes how fast files are read for their checksums; 0 for no limit. */
  void bytesPerSecond(long changed) {
    throttle.bytesPerSecond(changed);
  }

  /**
   * How far a snapshot is.
   *
   * @param phase what it does now, in a word
   * @param bytesDone of {@code bytesTotal} that are read for checksums
   */
  public record SnapshotProgress(String phase, long bytesDone, long bytesTotal) {}

  /**
   * Takes a snapshot. Fails with {@link SnapshotRefusedException} if its name is bad or taken, and
   * as the other methods of the engine; nothing is left of it then.
   *
   * @param described all of it but the families
   * @param chosen the families; those that do not exist here are left out
   * @param progress told now and then; one call at a time
   * @return cancelling it stops the work at its next step
   */
  public CompletableFuture<SnapshotManifest> take(
      SnapshotManifest described, List<FamilyId> chosen, Consumer<SnapshotProgress> progress) {
    return exclusively(
        () -> {
          CompletableFuture<SnapshotManifest> taken = new CompletableFuture<>();
          Then.whenDone(
              onDisk(() -> SnapshotWriter.begin(directory, described)),
              taken,
              (writer, failure) -> {
                if (failure == null) {
                  Then.whenDone(
                      Then.called(() -> write(writer, chosen, progress, taken)),
                      taken,
                      (manifest, failed) -> end(writer, manifest, failed, taken));
                } else {
                  taken.completeExceptionally(failure);
                }
              });
          return taken;
        });
  }

  private CompletableFuture<SnapshotManifest> write(
      SnapshotWriter writer,
      List<FamilyId> chosen,
      Consumer<SnapshotProgress> progress,
      CompletableFuture<?> caller) {
    progress.accept(new SnapshotProgress("flushing", 0, 0));
    return moment(stores(chosen), MOMENTS_MAX)
        .thenCompose(
            moment -> {
              progress.accept(new SnapshotProgress("linking", 0, 0));
              return link(writer, moment);
            })
        .thenCompose(
            linked ->
                AsyncLoop.whileTrue(
                    () -> {
                      progress.accept(
                          new SnapshotProgress("reading", writer.doneBytes(), writer.totalBytes()));
                      return step(writer, caller);
                    }))
        .thenCompose(
            read -> {
              if (caller.isDone()) {
                return CompletableFuture.failedFuture(
                    new CancellationException("the caller of the snapshot gave up"));
              }
              return onDisk(writer::finish);
            });
  }

  /** Reads on, and waits as long as the rate demands. */
  private CompletableFuture<Boolean> step(SnapshotWriter writer, CompletableFuture<?> caller) {
    long before = writer.doneBytes();
    return onDisk(() -> !caller.isDone() && writer.step(STEP_BYTES))
        .thenCompose(
            more -> {
              Duration pause = throttle.take(writer.doneBytes() - before, clock.monotonicNanos());
              if (!more || pause.isZero()) {
                return CompletableFuture.completedFuture(more);
              }
              CompletableFuture<Boolean> paused = new CompletableFuture<>();
              scheduler.after(pause, Stage.COMPACTION, () -> paused.complete(true));
              return paused;
            });
  }

  private void end(
      SnapshotWriter writer,
      @Nullable SnapshotManifest manifest,
      @Nullable Throwable failure,
      CompletableFuture<SnapshotManifest> taken) {
    if (failure == null) {
      taken.complete(Objects.requireNonNull(manifest));
      return;
    }
    Then.whenDone(
        onDisk(
            () -> {
              writer.abandon();
              return true;
            }),
        taken,
        (abandoned, notAbandoned) -> {
          Throwable cause = Errors.unwrap(failure);
          if (notAbandoned != null) {
            // The next start, or the next snapshot of that name, deletes what is left.
            cause.addSuppressed(notAbandoned);
          }
          taken.completeExceptionally(cause);
        });
  }

  /** Holds the files of a moment; of a later one while there are truncations. */
  private CompletableFuture<FilesAtMoment> moment(List<ColumnFamilyStore> stores, int attempts) {
    return hold.apply(stores)
        .thenCompose(
            moment -> {
              if (!moment.isTruncated()) {
                return CompletableFuture.completedFuture(moment);
              }
              moment.close();
              if (attempts == 0) {
                return CompletableFuture.failedFuture(
                    new SnapshotRefusedException(
                        "a truncation is under way; take the snapshot when it has ended"));
              }
              CompletableFuture<Boolean> paused = new CompletableFuture<>();
              scheduler.after(BETWEEN_MOMENTS, Stage.COMPACTION, () -> paused.complete(true));
              return paused.thenCompose(over -> moment(stores, attempts - 1));
            });
  }

  private CompletableFuture<Boolean> link(SnapshotWriter writer, FilesAtMoment moment) {
    Claim claim = Claim.of(moment::close);
    try {
      List<SnapshotWriter.LinkedFamily> linked =
          moment.families().stream()
              .sorted(
                  Comparator.comparing(
                          (FilesAtMoment.FamilyAtMoment family) -> family.definition().keyspace())
                      .thenComparing(family -> family.definition().name()))
              .map(Snapshots::described)
              .toList();
      SnapshotMoment at = new SnapshotMoment(moment.position(), moment.wallMicros());
      return claim.until(
          onDisk(
              () -> {
                writer.link(at, linked);
                return true;
              }));
    } catch (RuntimeException | Error e) {
      claim.close();
      throw e;
    }
  }

  private static SnapshotWriter.LinkedFamily described(FilesAtMoment.FamilyAtMoment held) {
    ColumnFamily family = held.definition();
    List<SSTableIdentity> files =
        held.files().tables().stream()
            .map(SSTable::identity)
            .sorted(Comparator.comparingLong(SSTableIdentity::generation))
            .toList();
    return new SnapshotWriter.LinkedFamily(
        new SnapshotFamily(
            family.id(),
            family.keyspace(),
            family.name(),
            held.store().directory(),
            family.truncation(),
            held.files().quarantined().size(),
            List.of()),
        files);
  }

  private List<ColumnFamilyStore> stores(List<FamilyId> chosen) {
    List<ColumnFamilyStore> stores = new ArrayList<>();
    for (FamilyId id : chosen) {
      ColumnFamilyStore store = families.find(id);
      if (store != null) {
        stores.add(store);
      }
    }
    return stores;
  }

  /**
   * The snapshots of this node, oldest first; damaged ones are left out, and the log names them.
   */
  public CompletableFuture<List<SnapshotDirectory.Listed>> list() {
    return onDisk(() -> directory.list(live()));
  }

  /**
   * Deletes a snapshot. Fails with {@link SnapshotRefusedException} if there is none of that name.
   *
   * @return what it was
   */
  public CompletableFuture<SnapshotDirectory.Listed> clear(String name) {
    return exclusively(
        () ->
            onDisk(
                () -> {
                  SnapshotDirectory.Listed known = directory.find(name, live());
                  directory.delete(name);
                  return known;
                }));
  }

  /** The directory of the snapshot of that name, for messages. */
  public String describe(String name) {
    return directory.describe(name);
  }

  private Set<SnapshotManifest.FileKey> live() {
    Set<SnapshotManifest.FileKey> live = new HashSet<>();
    for (ColumnFamilyStore store : families.all()) {
      for (SSTable table : store.view().tables()) {
        live.add(new SnapshotManifest.FileKey(store.id(), table.identity().generation()));
      }
    }
    return live;
  }

  private <T> CompletableFuture<T> exclusively(Supplier<CompletableFuture<T>> work) {
    Claim claim = slot.claim();
    if (claim == null) {
      return CompletableFuture.failedFuture(
          new OverloadedException("the place of the one snapshot that is taken or cleared"));
    }
    return claim.until(Then.called(work));
  }

  private <T> CompletableFuture<T> onDisk(DiskWork<T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    boolean queued =
        scheduler.submit(
            Stage.COMPACTION, () -> Then.onBehalfOf(done, () -> done.complete(work.run())));
    if (!queued) {
      done.completeExceptionally(new OverloadedException("the compaction stage"));
    }
    return done;
  }
}
