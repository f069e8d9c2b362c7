package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;

/** Hears of damage that a read or a compaction found. Thread-safe; does not block. */
interface DamageListener {

  /**
   * A file of the family is damaged. The request that found it fails anyway; this protects those
   * that follow.
   */
  void found(ColumnFamilyStore store, CorruptFileException damage);

  /** Returns which of these files is the damaged one. */
  static Optional<SSTable> damaged(CorruptFileException damage, Collection<SSTable> tables) {
    String path = damage.path();
    OptionalLong generation =
        SSTableIdentity.generationOf(path.substring(path.lastIndexOf('/') + 1));
    return tables.stream()
        .filter(
            table ->
                generation.isPresent()
                    && table.identity().generation() == generation.getAsLong()
                    && path.contains(table.identity().directory()))
        .findFirst();
  }
}
