package dev.colonnade.server.storage.compaction;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.MergingCursor;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableScan;
import dev.colonnade.server.storage.sstable.SSTableWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of a compaction, a bounded step at a time, even inside a row that is wider than
 * memory. Holds one block of each input and what the writer holds. One thread at a time.
 */
final class Merge implements Closeable {
  /** A row without atoms costs about as much as this many atoms. */
  private static final int ATOMS_PER_ROW = 4;

  private record Input(SSTableScan scan, RowKey key) {}

  private final MergeRequest request;
  private final Purger purger;
  private final List<SSTableScan> scans = new ArrayList<>();
  private final PriorityQueue<Input> inputs = new PriorityQueue<>(Comparator.comparing(Input::key));
  private final List<SSTableScan> rowScans = new ArrayList<>();
  private final SSTableWriter writer;
  private @Nullable AtomCursor row;

  private Merge(MergeRequest request, SSTableWriter writer) {
    this.request = request;
    this.writer = writer;
    this.purger = new Purger(request);
  }

  static Merge open(MergeRequest request) throws IOException {
    Merge merge = new Merge(request, SSTableWriter.create(request.resources(), request.output()));
    try {
      for (SSTable input : request.inputs()) {
        SSTableScan scan = input.scan();
        merge.scans.add(scan);
        merge.advance(scan);
      }
      return merge;
    } catch (IOException | RuntimeException failure) {
      merge.close();
      throw failure;
    }
  }

  /** Does a bounded amount of work; false when there is nothing left to merge. */
  boolean step() throws IOException {
    int budget = request.atomsPerStep();
    while (budget > 0) {
      AtomCursor current = row;
      if (current == null) {
        if (inputs.isEmpty()) {
          return false;
        }
        if (!request.keeps().test(inputs.element().key())) {
          skipRow();
          budget -= ATOMS_PER_ROW;
          continue;
        }
        RowKey key = takeRow();
        budget -= ATOMS_PER_ROW;
        if (rowScans.size() == 1 && rowScans.get(0).isPlain()) {
          budget -= copyRow(key, rowScans.get(0));
          continue;
        }
        current = beginRow(key);
        row = current;
      }
      Atom atom = current.next();
      budget--;
      if (atom == null) {
        endRow();
      } else {
        write(atom);
      }
    }
    return true;
  }

  /** Completes the output; empty if nothing was left to keep. */
  Optional<SSTable> finish() throws IOException {
    if (writer.rows() == 0) {
      writer.abandon();
      return Optional.empty();
    }
    return Optional.of(writer.finish());
  }

  long bytesRead() {
    long bytes = 0;
    for (SSTableScan scan : scans) {
      bytes += scan.bytesRead();
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    for (SSTableScan scan : scans) {
      scan.close();
    }
    writer.close();
  }

  /** Takes the inputs that have the next row, and returns its key. */
  private RowKey takeRow() {
    RowKey key = inputs.element().key();
    rowScans.clear();
    while (!inputs.isEmpty() && inputs.element().key().equals(key)) {
      rowScans.add(inputs.remove().scan());
    }
    return key;
  }

  /**
   * Copies a row that one input alone has, and that nothing can be purged of, without decoding it.
   *
   * @return how many cells it has
   */
  private int copyRow(RowKey key, SSTableScan scan) throws IOException {
    int cells = scan.copyTo(writer, key);
    advance(scan);
    return cells;
  }

  private AtomCursor beginRow(RowKey key) throws IOException {
    List<AtomCursor> cursors = new ArrayList<>(rowScans.size());
    for (SSTableScan scan : rowScans) {
      cursors.add(scan.atoms());
    }
    AtomCursor merged = MergingCursor.of(cursors, request.output().order(), false);
    purger.row(key);
    writer.startRow(key, purger.keep(merged.rowDeletion()), purger.keep(merged.open()));
    return merged;
  }

  private void write(Atom atom) throws IOException {
    if (atom instanceof RangeTombstoneMarker marker) {
      DeletionTime before = purger.keep(marker.before());
      DeletionTime after = purger.keep(marker.after());
      if (!before.equals(after)) {
        writer.add(new RangeTombstoneMarker(marker.bound(), before, after));
      }
      return;
    }
    Cell cell = purger.keep((Cell) atom);
    if (cell != null) {
      writer.add(cell);
    }
  }

  private void endRow() throws IOException {
    row = null;
    writer.endRow();
    for (SSTableScan scan : rowScans) {
      advance(scan);
    }
  }

  private void skipRow() throws IOException {
    RowKey key = inputs.element().key();
    while (!inputs.isEmpty() && inputs.element().key().equals(key)) {
      advance(inputs.remove().scan());
    }
  }

  private void advance(SSTableScan scan) throws IOException {
    RowKey key = scan.nextRow();
    if (key != null) {
      inputs.add(new Input(scan, key));
    }
  }
}
