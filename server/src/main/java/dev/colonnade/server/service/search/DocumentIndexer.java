package dev.colonnade.server.service.search;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.TimestampSource;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.write.RowMutation;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Indexes documents and removes them: reads the list of what the index has of a document, and
 * writes one mutation of the user's row. Thread-safe; never blocks.
 */
public final class DocumentIndexer {

  private final Analyzers analyzers;
  private final SearchSettings limits;
  private final TimestampSource timestamps;
  private final Clock clock;

  /** Creates the indexer of a node. */
  public DocumentIndexer(
      Analyzers analyzers, SearchSettings limits, TimestampSource timestamps, Clock clock) {
    this.analyzers = analyzers;
    this.limits = limits;
    this.timestamps = timestamps;
    this.clock = clock;
  }

  /**
   * A document to index.
   *
   * @param id valid for the index
   * @param timestamp the caller's
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Document(
      byte[] id,
      List<String> texts,
      List<byte[]> participants,
      byte[] payload,
      OptionalLong timestamp) {}

  /**
   * How a write is made.
   *
   * @param durable whether it goes through the commit log
   */
  public record Writing(
      RowStore rows, boolean durable, Consistency consistency, long deadlineNanos) {}

  /**
   * What was done.
   *
   * @param timestamp of the version, or of the removal
   * @param terms how many different terms the document has
   * @param superseded whether the index had a newer version, so that nothing was written
   */
  public record Outcome(long timestamp, int terms, boolean superseded, CallCost cost) {}

  /** Indexes a document in place of what the index has of it. */
  public CompletableFuture<Outcome> index(UserRow row, Document document, Writing writing) {
    ColumnFamily family = row.family();
    return analyzers
        .of(family.analyzer().orElse(Analyzers.DEFAULT))
        .thenApply(
            analyzer -> {
              IndexedDocument content =
                  IndexedDocument.of(
                      document.texts(),
                      document.participants(),
                      document.payload(),
                      analyzer,
                      limits);
              content.checkSize(document.id().length, limits);
              return content;
            })
        .thenCompose(
            content ->
                entries(row, document.id())
                    .thenCompose(before -> put(row, document, content, before, writing)));
  }

  private CompletableFuture<Outcome> put(
      UserRow row,
      Document document,
      IndexedDocument content,
      Optional<EntryList> known,
      Writing writing) {
    @Nullable EntryList before = known.orElse(null);
    long timestamp = IndexUpdate.timestamp(document.timestamp(), before, timestamps::nextMicros);
    Optional<RowUpdate> update =
        new IndexUpdate(row.family(), document.id(), clock.wallSeconds())
            .put(content, timestamp, before);
    if (update.isEmpty()) {
      return CompletableFuture.completedFuture(
          new Outcome(timestamp, content.terms(), true, row.cost()));
    }
    return write(row, update.get(), writing)
        .thenApply(
            asked ->
                new Outcome(
                    timestamp, content.terms(), false, row.cost().plus(CallCost.of(asked))));
  }

  /** Removes a document. */
  public CompletableFuture<Outcome> remove(
      UserRow row, byte[] id, OptionalLong timestamp, Writing writing) {
    return entries(row, id)
        .thenCompose(
            known -> {
              @Nullable EntryList before = known.orElse(null);
              long at = IndexUpdate.timestamp(timestamp, before, timestamps::nextMicros);
              RowUpdate update =
                  new IndexUpdate(row.family(), id, clock.wallSeconds()).remove(at, before);
              return write(row, update, writing)
                  .thenApply(
                      asked -> new Outcome(at, 0, false, row.cost().plus(CallCost.of(asked))));
            });
  }

  private static CompletableFuture<Optional<EntryList>> entries(UserRow row, byte[] id) {
    var found =
        new Object() {
          Optional<EntryList> list = Optional.empty();
        };
    return row.read(
            List.of(PathRange.of(IndexLayout.entries(), id)),
            cell -> found.list = EntryList.of(cell))
        .thenApply(done -> found.list);
  }

  private static CompletableFuture<AskedReplicas> write(
      UserRow row, RowUpdate update, Writing writing) {
    return writing
        .rows()
        .write(
            List.of(
                new RowMutation(
                    row.key(), List.of(new RowMutation.FamilyUpdate(row.family(), update)))),
            writing.durable(),
            writing.consistency(),
            writing.deadlineNanos());
  }
}
