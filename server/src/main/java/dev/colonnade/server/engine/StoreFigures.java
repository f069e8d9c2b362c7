package dev.colonnade.server.engine;

import dev.colonnade.server.cache.CacheFigures;
import dev.colonnade.server.sstable.SSTable;
import java.util.List;

/**
 * What there is of one column family, and what it has done.
 *
 * @param sstables live data files
 * @param diskBytes of their data
 * @param memtableRows rows in memtables; a row in two of them counts twice
 * @param memtableBytes heap of memtables
 * @param memtableOperations cells and deletions in memtables
 * @param pendingCompactions merges that are due
 * @param quarantined damaged files
 */
public record StoreFigures(
    int sstables,
    long diskBytes,
    long memtableRows,
    long memtableBytes,
    long memtableOperations,
    int pendingCompactions,
    List<QuarantinedFile> quarantined,
    CacheFigures rowCache,
    FamilyCounters counters) {

  static StoreFigures of(FamilyStore store, int pendingCompactions) {
    FamilyView view = store.view();
    long disk = 0;
    for (SSTable table : view.tables()) {
      disk += table.stats().dataBytes();
    }
    long rows = view.active().rowCount();
    long operations = view.active().operations();
    for (FamilyView.Flushing memtable : view.flushing()) {
      rows += memtable.memtable().rowCount();
      operations += memtable.memtable().operations();
    }
    return new StoreFigures(
        view.tables().size(),
        disk,
        rows,
        view.memtableBytes(),
        operations,
        pendingCompactions,
        view.quarantined().stream().map(Quarantined::figures).toList(),
        store.rowCache().figures(),
        store.counters());
  }
}
