package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that could not be applied and lie in files of their own. Sets aside hints that cannot be
 * applied, lists the records, and applies them again once the cause is fixed.
 *
 * <p>Thread-safe; never blocks.
 */
public final class SetAsideRecords {

  private static final Logger LOG = LoggerFactory.getLogger(SetAsideRecords.class);

  /** What is read and applied at a time. */
  private static final long BATCH_BYTES = 1 << 20;

  /**
   * When a family has this many files of refused hints, further hints stay with the nodes that keep
   * them.
   */
  private static final int REFUSED_FILES_MAX = 64;

  /**
   * A record.
   *
   * @param position where it stands in the commit log; {@link LogPosition#START} of a hint
   * @param reason what was thrown when it was to be applied
   */
  record SetAsideRecord(
      LogPosition position, String reason, RowKey key, RowUpdate update, long nowSeconds) {}

  /**
   * Some of a file's records.
   *
   * @param next where the next ones begin; empty at the end of the file
   */
  record SetAsidePart(List<SetAsideRecord> records, Optional<Long> next) {

    /** Copies the list. */
    public SetAsidePart {
      records = List.copyOf(records);
    }
  }

  private final ColumnFamilyStores families;
  private final LiveFileSet liveFiles;
  private final FileSystem files;
  private final Scheduler scheduler;
  private final Clock clock;
  private final Function<Mutation, CompletableFuture<Void>> writer;

  /**
   * Manages the set-aside records of a store.
   *
   * @param writer writes a mutation as a client's is written, and may use the reserve of the disk
   */
  SetAsideRecords(
      ColumnFamilyStores families,
      LiveFileSet liveFiles,
      FileSystem files,
      Scheduler scheduler,
      Clock clock,
      Function<Mutation, CompletableFuture<Void>> writer) {
    this.families = families;
    this.liveFiles = liveFiles;
    this.files = files;
    this.scheduler = scheduler;
    this.clock = clock;
    this.writer = writer;
  }

  /** Tries again what was set aside before the start: the plug-in may have been fixed. */
  void tryAll() {
    for (ColumnFamilyStore store : families.all()) {
      for (Quarantined file : store.view().quarantined()) {
        if (file.kind() == Quarantined.QuarantineKind.LOGGED_RECORDS) {
          Then.whenDone(
              applyAgain(store.id(), file.place().generation()),
              (applied, failure) -> {
                if (failure != null) {
                  LOG.error(
                      "{} records of {} in {} still cannot be applied: {}; see 'Records that cannot"
                          + " be applied' in docs/operations.md",
                      file.records(),
                      store.definition().qualifiedName(),
                      file.path(),
                      failure.getMessage());
                }
              });
        }
      }
    }
  }

  /**
   * Sets aside a hint's part for a family; durable when it completes.
   *
   * @param why it could not be applied
   */
  public CompletableFuture<Void> keep(Mutation hint, Throwable why) {
    List<CompletableFuture<Void>> kept = new ArrayList<>();
    for (Mutation.FamilyMutation part : hint.updates()) {
      ColumnFamilyStore store = families.find(part.family());
      if (store != null) {
        kept.add(keep(store, hint, part, why));
      }
    }
    return CompletableFuture.allOf(kept.toArray(new CompletableFuture<?>[0]));
  }

  private CompletableFuture<Void> keep(
      ColumnFamilyStore store, Mutation hint, Mutation.FamilyMutation part, Throwable why) {
    long refused =
        store.view().quarantined().stream()
            .filter(file -> file.kind() == Quarantined.QuarantineKind.REFUSED_RECORDS)
            .count();
    if (refused >= REFUSED_FILES_MAX) {
      return CompletableFuture.failedFuture(
          new OverloadedException("files of refused hints of a column family"));
    }
    return liveFiles.setAside(store, hint, part, clock.wallSeconds(), why);
  }

  /** Reads some records of a file, {@code from} 0 or the next of an earlier part. */
  private CompletableFuture<SetAsidePart> read(
      ColumnFamilyStore store, long fileNumber, long from) {
    CompletableFuture<SetAsidePart> answer = new CompletableFuture<>();
    Runnable task =
        () ->
            Then.onBehalfOf(
                answer,
                () ->
                    answer.complete(
                        SetAsideFile.read(
                            files, store.directory(), store.id(), fileNumber, from, BATCH_BYTES)));
    if (!scheduler.submit(Stage.COMPACTION, task)) {
      answer.completeExceptionally(new OverloadedException("the compaction stage"));
    }
    return answer;
  }

  private static Optional<Quarantined> find(ColumnFamilyStore store, long fileNumber) {
    return store.view().quarantined().stream()
        .filter(file -> file.hasRecords() && file.place().generation() == fileNumber)
        .findFirst();
  }

  /**
   * Applies all records of a file, as if they were written now with their own timestamps, and then
   * removes it. Applying a record twice does no harm.
   *
   * @return how many were applied; empty if there is no such file. Fails with the first failure,
   *     and the file stays
   */
  public CompletableFuture<OptionalLong> applyAgain(FamilyId family, long fileNumber) {
    ColumnFamilyStore store = families.find(family);
    if (store == null) {
      return CompletableFuture.completedFuture(OptionalLong.empty());
    }
    // Before the file is looked for: a truncation from now on makes these writes void.
    long truncation = store.definition().truncation();
    Optional<Quarantined> file = find(store, fileNumber);
    if (file.isEmpty()) {
      return CompletableFuture.completedFuture(OptionalLong.empty());
    }
    return applyFrom(new FileToApply(store, file.get(), truncation), 0, 0)
        .thenCompose(
            applied ->
                liveFiles
                    .applied(store, fileNumber)
                    .thenApply(
                        removed -> {
                          LOG.info(
                              "{} records that had been set aside were applied to {}",
                              applied,
                              store.definition().qualifiedName());
                          return OptionalLong.of(applied);
                        }));
  }

  /** A file that is being applied, and the last truncation when that began. */
  private record FileToApply(ColumnFamilyStore store, Quarantined file, long truncation) {}

  private CompletableFuture<Long> applyFrom(FileToApply source, long from, long appliedBefore) {
    return read(source.store(), source.file().place().generation(), from)
        .thenCompose(
            part -> {
              List<CompletableFuture<Void>> writes = new ArrayList<>(part.records().size());
              for (SetAsideRecord each : part.records()) {
                writes.add(Then.called(() -> write(source, each)));
              }
              return CompletableFuture.allOf(writes.toArray(new CompletableFuture<?>[0]))
                  .thenCompose(
                      written -> {
                        long applied = appliedBefore + part.records().size();
                        return part.next().isEmpty()
                            ? CompletableFuture.completedFuture(applied)
                            : applyFrom(source, part.next().get(), applied);
                      });
            });
  }

  private CompletableFuture<Void> write(FileToApply source, SetAsideRecord each) {
    long grace = source.store().definition().options().gcGraceSeconds();
    if (source.file().kind() == Quarantined.QuarantineKind.REFUSED_RECORDS
        && clock.wallSeconds() - each.nowSeconds() > grace) {
      // Tombstones that hide these records may have been purged since. Those that hide log records
      // are kept, because the content of these is missing here.
      throw new StoreStoppedException(
          "the hint is older than the gc grace of the family, " + grace + " s: repair instead");
    }
    Mutation.FamilyMutation part =
        new Mutation.FamilyMutation(source.store().id(), each.update(), source.truncation());
    return writer.apply(new Mutation(each.key(), List.of(part), each.nowSeconds()));
  }

  /** The text of an exception, as it is kept. */
  static String words(Throwable why) {
    Errors.escalate(why);
    return String.valueOf(why);
  }
}
