package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The files of some families with exactly what these held at one position of the commit log. The
 * files stay on disk until this is closed. Thread-safe.
 *
 * <p>All memtables are switched in one action of the write pipeline. A family flushes its memtables
 * in order, one at a time, so its files are right at the moment at which the last of those becomes
 * a file: they are held then and there, before the next flush can begin.
 */
final class FilesAtMoment implements AutoCloseable {

  /**
   * A family at the moment.
   *
   * @param definition with the last truncation that had ended
   */
  record FamilyAtMoment(ColumnFamilyStore store, ColumnFamily definition, FamilyVersion files) {}

  /**
   * A family at the moment, without its files yet.
   *
   * @param isBeingTruncated whether a truncation had begun of which the definition does not know
   */
  private record Switched(
      ColumnFamilyStore store, ColumnFamily definition, int truncations, boolean isBeingTruncated) {

    static Switched of(ColumnFamilyStore store) {
      ColumnFamily definition = store.definition();
      return new Switched(
          store,
          definition,
          store.truncations(),
          store.truncatedBefore() != definition.truncation());
    }

    boolean isTruncated() {
      return isBeingTruncated || store.truncations() != truncations;
    }
  }

  private final List<Switched> switched = new ArrayList<>();
  private final List<FamilyAtMoment> held = new ArrayList<>();
  private LogPosition position = LogPosition.START;
  private long wallMicros;
  private boolean closed;

  private FilesAtMoment() {}

  /**
   * Flushes the families, and holds their files.
   *
   * @return fails if an attempt to flush one of them fails; nothing is held then
   */
  static CompletableFuture<FilesAtMoment> hold(
      WritePipeline pipeline,
      ColumnFamilyStores families,
      Clock clock,
      List<ColumnFamilyStore> stores) {
    FilesAtMoment moment = new FilesAtMoment();
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    return pipeline
        .runBeforeWaiting(
            reached -> {
              moment.begin(reached, clock.wallMicros());
              for (ColumnFamilyStore store : stores) {
                waiting.add(moment.switchOver(families, store));
              }
            })
        .thenCompose(done -> CompletableFuture.allOf(waiting.toArray(new CompletableFuture<?>[0])))
        .whenComplete(
            (flushed, failure) -> {
              if (failure != null) {
                moment.close();
              }
            })
        .thenApply(flushed -> moment);
  }

  private synchronized void begin(LogPosition reached, long micros) {
    position = reached;
    wallMicros = micros;
  }

  private CompletableFuture<Void> switchOver(ColumnFamilyStores families, ColumnFamilyStore store) {
    Switched family = Switched.of(store);
    synchronized (this) {
      switched.add(family);
    }
    families.flush(store, position(), FlushReason.DEMAND);
    List<FamilyVersion.Flushing> flushing = store.view().flushing();
    if (flushing.isEmpty()) {
      hold(family);
      return CompletableFuture.completedFuture(null);
    }
    FlushOutcome last = flushing.get(flushing.size() - 1).outcome();
    return last.attempt().thenAccept(file -> hold(family));
  }

  private synchronized void hold(Switched family) {
    if (!closed) {
      held.add(
          new FamilyAtMoment(family.store(), family.definition(), family.store().holdTables()));
    }
  }

  /** Where in the log the moment is: what is there or before it is in the files. */
  synchronized LogPosition position() {
    return position;
  }

  /** When that was, by the node's clock, in microseconds since 1970. */
  synchronized long wallMicros() {
    return wallMicros;
  }

  /**
   * Whether a truncation came between: the files may lack what they held, or the log has the
   * truncation before the moment while the definition lacks it.
   */
  synchronized boolean isTruncated() {
    return switched.stream().anyMatch(Switched::isTruncated);
  }

  /** The families, in no order. */
  synchronized List<FamilyAtMoment> families() {
    return List.copyOf(held);
  }

  /** Releases the files. */
  @Override
  public synchronized void close() {
    closed = true;
    held.forEach(each -> ColumnFamilyStore.release(each.files()));
    held.clear();
  }
}
