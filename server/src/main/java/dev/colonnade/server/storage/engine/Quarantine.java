package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.storage.sstable.KeyExtent;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Quarantines damaged data files while the node runs. A damaged auxiliary component of a file is
 * rebuilt instead.
 *
 * <p>The node's own keyspace is exempt: without its rows the node does not know which family the
 * other files belong to.
 *
 * <p>Thread-safe.
 */
final class Quarantine implements DamageListener {

  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);

  private final LiveFileSet liveFiles;
  private final Scheduler scheduler;
  private final Clock clock;
  private final Consumer<ColumnFamilyStore> whenDone;
  private final Set<SSTable> inHand = ConcurrentHashMap.newKeySet();

  /**
   * Watches the files of a store.
   *
   * @param whenDone told after a file was quarantined
   */
  Quarantine(
      LiveFileSet liveFiles,
      Scheduler scheduler,
      Clock clock,
      Consumer<ColumnFamilyStore> whenDone) {
    this.liveFiles = liveFiles;
    this.scheduler = scheduler;
    this.clock = clock;
    this.whenDone = whenDone;
  }

  @Override
  public void found(ColumnFamilyStore store, CorruptFileException damage) {
    Optional<SSTable> found = DamageListener.damaged(damage, store.view().tables());
    if (found.isEmpty() || !inHand.add(found.get())) {
      return;
    }
    SSTable table = found.get();
    Claim hand = Claim.of(() -> inHand.remove(table));
    try {
      if (!damage.path().endsWith(table.identity().dataPath())) {
        reopen(store, table, hand, damage);
      } else if (store.definition().keyspace().equals(SystemKeyspace.NAME)) {
        // The file stays claimed, so that this is logged once.
        LOG.error(
            "{} It belongs to the node's own keyspace and stays where it is", damage.getMessage());
      } else {
        setAside(store, table, hand, damage);
      }
    } catch (RuntimeException | Error e) {
      hand.close();
      Errors.report(damage.getMessage() + " It could not be handled", e);
    }
  }

  private void setAside(
      ColumnFamilyStore store, SSTable table, Claim hand, CorruptFileException damage) {
    SSTableIdentity place = QuarantineFiles.placeOf(table.identity());
    Quarantined damaged =
        Quarantined.of(
            place,
            liveFiles.resources().files().describe(place.dataPath()),
            damage,
            clock.wallSeconds(),
            KeyExtent.of(table));
    Then.whenDone(
        hand.until(liveFiles.quarantine(store, table, damaged)),
        (done, failure) -> {
          report(store, damage, damaged, failure);
          whenDone.accept(store);
        });
  }

  private static void report(
      ColumnFamilyStore store,
      CorruptFileException damage,
      Quarantined damaged,
      @Nullable Throwable failure) {
    if (failure != null) {
      LOG.error(
          "{} It could not be moved to {}; the next start does it",
          damage.getMessage(),
          damaged.path(),
          failure);
      return;
    }
    reportSetAside(store.definition().qualifiedName(), damage, damaged);
  }

  /** Logs a quarantined file, in the same words at start and later. */
  static void reportSetAside(String family, CorruptFileException damage, Quarantined damaged) {
    LOG.error(
        "{} The file of {} is now in quarantine as {} and not served. Reads that it may concern"
            + " fail with DATA_LOSS until a sound copy is put in its place and the node restarted,"
            + " or its loss accepted (file number {}); see 'A damaged file' in docs/operations.md",
        damage.getMessage(),
        family,
        damaged.path(),
        damaged.place().generation());
  }

  /** Opening a file checks its auxiliary components against the data, and rebuilds damaged ones. */
  private void reopen(
      ColumnFamilyStore store, SSTable table, Claim hand, CorruptFileException damage) {
    LOG.warn("{} It is being rebuilt from the data", damage.getMessage());
    boolean queued =
        scheduler.submit(
            Stage.COMPACTION,
            () -> {
              try {
                SSTable fresh = SSTable.open(liveFiles.resources(), table.identity());
                Futures.ignore(hand.until(liveFiles.reopened(store, table, fresh)));
              } catch (CorruptFileException inData) {
                hand.close();
                found(store, inData);
              } catch (IOException | RuntimeException | Error failed) {
                hand.close();
                Errors.report(
                    "could not rebuild the components derived from " + damage.path(), failed);
              }
            });
    if (!queued) {
      hand.close();
    }
  }
}
