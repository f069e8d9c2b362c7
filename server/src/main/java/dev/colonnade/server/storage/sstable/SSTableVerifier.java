package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads one data file to its end and checks everything that readers rely on. */
final class SSTableVerifier {
  private final SSTable table;
  private final SSTableScan scan;

  SSTableVerifier(SSTable table, SSTableScan scan) {
    this.table = table;
    this.scan = scan;
  }

  void run() throws IOException {
    RowKey previous = null;
    long rows = 0;
    for (RowKey key = scan.nextRow(); key != null; key = scan.nextRow()) {
      if (previous != null && previous.compareTo(key) >= 0) {
        throw corrupt("rows in ascending order", "row " + key + " after " + previous);
      }
      if (!table.mightContain(key)) {
        throw corrupt("row " + key + " in the filter", "no trace of it");
      }
      verifyRow(key, scan.atoms());
      previous = key;
      rows++;
    }
    if (rows != table.stats().rows()) {
      throw corrupt(table.stats().rows() + " rows", rows + " rows");
    }
    verifyIndex();
  }

  private void verifyRow(RowKey key, AtomCursor atoms) throws IOException {
    DeletionTime open = atoms.open();
    @Nullable Atom previous = null;
    for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
      if (previous != null && table.identity().order().compare(previous, atom) >= 0) {
        throw corrupt("columns of row " + key + " in ascending order", atom + " after " + previous);
      }
      if (atom instanceof RangeTombstoneMarker marker) {
        if (!marker.before().equals(open)) {
          throw corrupt("range deletions of row " + key + " that join", marker.toString());
        }
        open = marker.after();
      }
      previous = atom;
    }
  }

  private void verifyIndex() throws IOException {
    OpenComponents components = table.components();
    BlockWalk walk = new BlockWalk(components.data(), components.footer());
    IndexCursor index = new IndexCursor(table, ReadContext.blocking());
    index.first();
    boolean more = true;
    while (walk.next() != null) {
      if (!more || index.offset() != walk.offset() || index.frameBytes() != walk.frameBytes()) {
        throw table.indexSource().corrupt(0, "an entry for the block at " + walk.offset(), "none");
      }
      more = index.next();
    }
    if (more) {
      throw table.indexSource().corrupt(0, "the end of the index", "an entry for no block");
    }
  }

  private IOException corrupt(String expected, String found) {
    return table.components().data().corrupt(scan.bytesRead(), expected, found);
  }
}
