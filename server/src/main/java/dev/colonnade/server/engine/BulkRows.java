package dev.colonnade.server.engine;

import java.util.List;
import java.util.function.Consumer;

/** Many rows at a time, to and from other nodes. Thread-safe. */
final class BulkRows {
  private final LiveFiles live;
  private final DiskRoom room;
  private final DamageListener damage;
  private final Consumer<FamilyStore> afterIngest;

  BulkRows(
      LiveFiles live, DiskRoom room, DamageListener damage, Consumer<FamilyStore> afterIngest) {
    this.live = live;
    this.room = room;
    this.damage = damage;
    this.afterIngest = afterIngest;
  }

  RowScan scan(FamilyStore store, List<RowSpan> spans) {
    return new RowScan(store, store.holdTables(), spans, damage);
  }

  /**
   * Takes rows of another node.
   *
   * @param truncation the last one there, before the rows were read
   */
  RowIngest ingest(FamilyStore store, long truncation) {
    if (truncation > store.definition().truncation()) {
      throw new NotTruncatedException(store.id(), truncation);
    }
    if (truncation < store.voidBefore()) {
      throw new StoreStoppedException(
          "the rows of "
              + store.definition().qualifiedName()
              + " that another node sends are of before it was truncated");
    }
    return new RowIngest(store, live, room, afterIngest);
  }
}
