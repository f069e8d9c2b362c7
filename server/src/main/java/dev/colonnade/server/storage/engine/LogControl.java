package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.HostPaths;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.commitlog.LogRefusedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Syncs, prepares, archives and cuts the commit log, and ends writing for good when it, or the
 * manifest, fails: what follows a failed sync cannot be promised any more. Thread-safe.
 */
final class LogControl implements ColumnFamilyStores.Log {

  private static final Logger LOG = LoggerFactory.getLogger(LogControl.class);

  private final CommitLog log;
  private final ColumnFamilyStores families;
  private final Health health;
  private final Consumer<String> stopWrites;
  private volatile Optional<String> failure = Optional.empty();

  /**
   * Takes charge of an open log.
   *
   * @param stopWrites called with the reason
   */
  LogControl(
      CommitLog log, ColumnFamilyStores families, Health health, Consumer<String> stopWrites) {
    this.log = log;
    this.families = families;
    this.health = health;
    this.stopWrites = stopWrites;
  }

  /** Why no more writes are accepted; empty while log and manifest are sound. */
  Optional<String> failure() {
    return failure;
  }

  /** Makes durable what was appended. Blocks on the disk. */
  void sync() {
    if (failure.isPresent()) {
      return;
    }
    try {
      log.sync();
    } catch (IOException e) {
      syncFailed(e);
    }
  }

  /** Prepares the log's next segment, which also makes durable what was left behind. Blocks. */
  void prepare() {
    if (failure.isPresent()) {
      return;
    }
    try {
      log.prepare();
    } catch (LogRefusedException e) {
      LOG.warn(
          "the next segment of the commit log could not be created ({}); it will be tried again,"
              + " and writes continue while the present one has room",
          e.getMessage());
    } catch (IOException e) {
      syncFailed(e);
    }
  }

  /**
   * Releases all segments: to be called in order with the mutations, and when everything in the log
   * is in files.
   *
   * @throws UncheckedIOException if they cannot be deleted
   */
  void cut() {
    try {
      log.cut();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Archives the log's segments that are complete. Blocks. */
  void archive() {
    try {
      log.archive();
    } catch (IOException e) {
      LOG.warn("archived segments of the commit log could not be deleted; it is tried again", e);
    }
  }

  private void syncFailed(IOException cause) {
    stopWrites.accept(
        "syncing the commit log failed ("
            + HostPaths.without(cause)
            + "); check the disk, then restart the node");
    families.logFailed(cause);
  }

  @Override
  public List<FamilyId> pinningLog() {
    return log.isOverLimit() ? List.copyOf(log.familiesPinningOldest()) : List.of();
  }

  @Override
  public void notOpen(FamilyId family) {
    log.forget(family);
  }

  @Override
  public void logFailed(IOException cause) {
    failed(Condition.COMMIT_LOG, "the commit log failed: " + HostPaths.without(cause));
  }

  /** Ends writing because a change of the live files could not be recorded. */
  void manifestFailed(IOException cause) {
    String reason = "the list of live data files could not be written: " + HostPaths.without(cause);
    stopWrites.accept(reason + "; check the disk, then restart the node");
    LOG.error("{}. No more writes are accepted. Acknowledged writes are in the log", reason, cause);
    failed(Condition.MANIFEST, reason);
  }

  /** Records the first failure; later ones follow from it. */
  private synchronized void failed(Condition condition, String reason) {
    if (failure.isEmpty()) {
      failure = Optional.of(reason);
    }
    health.raise(condition, Impact.NO_WRITES, reason);
  }
}
