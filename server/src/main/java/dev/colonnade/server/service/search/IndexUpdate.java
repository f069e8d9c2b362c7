package dev.colonnade.server.service.search;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The change of a user's row when a document changes. Of several versions the greatest {@link
 * DocumentVersion} stands, in whichever order they are written.
 *
 * <p>Entries of the version before that the new one lacks are removed at the timestamp of that
 * version, not at the new one: this removes just them. So a writer never removes what another one
 * writes at the same time. Where two writers replace one version, entries of the one that loses
 * stay; they have another version than the document, so searches pass over them ({@link
 * MatchCheck}) and remove them.
 */
final class IndexUpdate {

  private final ColumnFamily family;
  private final byte[] id;
  private final long nowSeconds;

  IndexUpdate(ColumnFamily family, byte[] id, long nowSeconds) {
    this.family = family;
    this.id = id;
    this.nowSeconds = nowSeconds;
  }

  /** The timestamp of a version: the caller's, or one that is above the version before. */
  static long timestamp(OptionalLong callers, @Nullable EntryList before, LongSupplier timestamps) {
    if (callers.isPresent()) {
      return callers.getAsLong();
    }
    long own = timestamps.getAsLong();
    if (before == null || own > before.version().timestamp()) {
      return own;
    }
    long last = before.version().timestamp();
    return last == Long.MAX_VALUE ? last : last + 1;
  }

  /** Replaces a document; empty if the version before is newer. */
  Optional<RowUpdate> put(IndexedDocument document, long timestamp, @Nullable EntryList before) {
    DocumentVersion version = new DocumentVersion(timestamp, document.fingerprint());
    if (before != null && before.version().compareTo(version) > 0) {
      return Optional.empty();
    }
    RowUpdate.Builder row = RowUpdate.builder(family.order());
    // Of one timestamp a deletion hides everything, also what this version or a later one writes.
    if (before != null && before.version().timestamp() < timestamp) {
      for (byte[] name : before.names()) {
        if (!document.entries().containsKey(name)) {
          row.add(deleted(name, before.version().timestamp()));
        }
      }
    }
    document
        .entries()
        .forEach((name, body) -> row.add(live(name, document.value(body), timestamp)));
    row.add(live(IndexLayout.versions(), document.value(document.payload()), timestamp));
    row.add(live(IndexLayout.entries(), document.value(document.names()), timestamp));
    return Optional.of(row.build());
  }

  /**
   * Removes a document. Its list of entries becomes a list of none with the removal's timestamp, so
   * that a version from before the removal is known to be superseded, for as long as a deletion
   * would be kept.
   */
  RowUpdate remove(long timestamp, @Nullable EntryList before) {
    RowUpdate.Builder row = RowUpdate.builder(family.order());
    if (before != null && before.version().timestamp() <= timestamp) {
      for (byte[] name : before.names()) {
        row.add(deleted(name, before.version().timestamp()));
      }
    }
    row.add(deleted(IndexLayout.versions(), timestamp));
    int ttlSeconds = (int) Math.max(1, family.options().gcGraceSeconds());
    row.add(
        Cell.expiring(
            IndexLayout.entries(),
            id,
            EntryList.removed(),
            timestamp,
            ttlSeconds,
            nowSeconds + ttlSeconds));
    return row.build();
  }

  private Cell live(byte[] top, byte[] value, long timestamp) {
    int ttlSeconds = family.options().defaultTtlSeconds();
    return ttlSeconds > 0
        ? Cell.expiring(top, id, value, timestamp, ttlSeconds, nowSeconds + ttlSeconds)
        : Cell.live(top, id, value, timestamp);
  }

  private Cell deleted(byte[] top, long timestamp) {
    return removal(top, id, timestamp, nowSeconds);
  }

  /** The removal of an entry of a version and of older ones. */
  static Cell removal(byte[] top, byte[] id, long timestamp, long nowSeconds) {
    return Cell.deleted(top, id, new DeletionTime(timestamp, nowSeconds));
  }
}
