package dev.colonnade.server.node.offline;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.MergingCursor;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableScan;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The rows of data files, in order, merged as a compaction would merge them that purges nothing:
 * deletions and what has expired are there. Of one file alone, exactly what it holds. Holds one
 * block of each file. One thread at a time; blocks; writes nothing.
 */
public final class FamilyRows implements Closeable {

  private record Input(SSTableScan scan, RowKey key) {}

  private final PathOrder order;
  private final List<SSTableScan> scans = new ArrayList<>();
  private final PriorityQueue<Input> inputs = new PriorityQueue<>(Comparator.comparing(Input::key));
  private final List<SSTableScan> current = new ArrayList<>();
  private long totalBytes;

  private FamilyRows(PathOrder order) {
    this.order = order;
  }

  /**
   * Opens the files.
   *
   * @param files of one family; none is an empty family
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if one is damaged
   */
  public static FamilyRows open(FileSystem fileSystem, List<SSTableIdentity> files, PathOrder order)
      throws IOException {
    FamilyRows rows = new FamilyRows(order);
    try {
      for (SSTableIdentity file : files) {
        SSTableScan scan = SSTableScan.ofData(fileSystem, file);
        rows.scans.add(scan);
        rows.totalBytes += scan.totalBytes();
        rows.advance(scan);
      }
      return rows;
    } catch (IOException | RuntimeException failure) {
      rows.close();
      throw failure;
    }
  }

  /**
   * Goes to the next row, skipping the rest of the current one.
   *
   * @return null at the end
   * @throws dev.colonnade.server.base.codec.CorruptFileException if a block is damaged
   */
  public @Nullable RowKey nextRow() throws IOException {
    for (SSTableScan scan : current) {
      advance(scan);
    }
    current.clear();
    if (inputs.isEmpty()) {
      return null;
    }
    RowKey key = inputs.element().key();
    while (!inputs.isEmpty() && inputs.element().key().equals(key)) {
      current.add(inputs.remove().scan());
    }
    return key;
  }

  /**
   * The current row, whole and forwards; to be read before {@link #nextRow} is called again, and
   * once only.
   */
  public AtomCursor atoms() throws IOException {
    if (current.size() == 1) {
      return current.get(0).atoms();
    }
    List<AtomCursor> cursors = new ArrayList<>(current.size());
    for (SSTableScan scan : current) {
      cursors.add(scan.atoms());
    }
    return MergingCursor.of(cursors, order, false);
  }

  /** Bytes of the files read so far. */
  public long bytesRead() {
    long bytes = 0;
    for (SSTableScan scan : scans) {
      bytes += scan.bytesRead();
    }
    return bytes;
  }

  /** Bytes of the files to be read in all. */
  public long totalBytes() {
    return totalBytes;
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (SSTableScan scan : scans) {
      try {
        scan.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void advance(SSTableScan scan) throws IOException {
    RowKey key = scan.nextRow();
    if (key != null) {
      inputs.add(new Input(scan, key));
    }
  }
}
