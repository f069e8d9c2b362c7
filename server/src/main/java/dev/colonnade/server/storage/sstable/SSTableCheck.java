package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.env.KeyIndexes.KeyIndex;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Checks all components of a file that no node has open: every checksum, the order of rows and
 * columns, the tokens, that index, filter and key index lead to each row, and the statistics. Goes
 * on behind damage where the next block can be found. Writes nothing, so nothing is rebuilt.
 *
 * <p>Memory does not grow with the file, apart from its filter. For one file and one thread;
 * blocks.
 */
public final class SSTableCheck {

  /** More problems of one file than a person reads. */
  static final int PROBLEMS_MAX = 100;

  /**
   * One thing that is wrong.
   *
   * @param path the component's file
   * @param offset in bytes from the file's start
   * @param what is wrong: what was expected and what found
   * @param rebuilt whether a node rebuilds the component from the rows at its next start
   */
  public record Problem(String path, long offset, String what, boolean rebuilt) {}

  /**
   * What was found.
   *
   * @param rows read
   * @param cells read: columns that are live, expiring, or deleted
   * @param bytes of rows read, as stored
   * @param problems in the order in which they were found; the first hundred
   * @param complete false if there were more
   */
  public record Outcome(
      long rows, long cells, long bytes, List<Problem> problems, boolean complete) {}

  private final FileSystem files;
  private final @Nullable KeyIndexes keyIndexes;
  private final SSTableIdentity identity;
  private final UnaryOperator<byte[]> tokens;
  private final LongConsumer progress;
  private final List<Problem> problems = new ArrayList<>();
  private final StatsCollector stats = new StatsCollector();
  private boolean complete = true;

  private @Nullable MetaFile meta;
  private @Nullable BloomFilter filter;
  private @Nullable IndexWalk index;
  private String indexPath = "";
  private @Nullable KeyIndex keyIndex;

  private long bytes;
  private long uncompressed;
  private long markers;
  private long blocks;

  private long dataBytes;
  private int indexedBytes;

  /** Whether rows are damaged, so that what depends on all of them cannot be compared. */
  private boolean gap;

  /** Whether the block before could not be read to its end. */
  private boolean lost;

  private @Nullable RowKey row;

  /** Whether the block before ended inside {@link #row}. */
  private boolean rowGoesOn;

  private @Nullable Atom atom;
  private DeletionTime open = DeletionTime.NONE;

  /**
   * Prepares the check of one file.
   *
   * @param files where it is
   * @param keyIndexes opens its key index, in the same place; null to leave it out, as copies of
   *     data files do
   * @param tokens the partitioner's: the token of a row key
   * @param progress is told the bytes of rows read so far, after each block
   */
  public SSTableCheck(
      FileSystem files,
      @Nullable KeyIndexes keyIndexes,
      SSTableIdentity identity,
      UnaryOperator<byte[]> tokens,
      LongConsumer progress) {
    this.files = files;
    this.keyIndexes = keyIndexes;
    this.identity = identity;
    this.tokens = tokens;
    this.progress = progress;
  }

  /** Does it, once. Whatever is wrong with the file is in the outcome. */
  public Outcome run() {
    attempt(Component.META, () -> meta = MetaFile.read(files, identity).meta());
    attempt(Component.FILTER, this::readFilter);
    attempt(Component.KEYS, this::openKeyIndex);
    attempt(
        Component.INDEX,
        () -> {
          try (BlockReader source = BlockReader.open(files, identity, Component.INDEX)) {
            indexPath = source.path();
            attempt(Component.INDEX, () -> index = IndexWalk.open(source));
            attempt(Component.DATA, this::readData);
            finishIndex(source);
          }
        });
    if (blocks == 0 && !gap) {
      // There is no index to go with; the rows are checked without it.
      attempt(Component.DATA, this::readData);
    }
    attempt(Component.KEYS, this::closeKeyIndex);
    compareStats();
    return new Outcome(stats.rows(), stats.cells(), bytes, List.copyOf(problems), complete);
  }

  /** A part of the check, which ends at the first damage. */
  private interface Part {
    void run() throws IOException;
  }

  private void attempt(Component component, Part part) {
    String path = files.describe(identity.path(component));
    try {
      part.run();
    } catch (CorruptFileException damage) {
      report(component, damage);
    } catch (FileNotFoundException missing) {
      report(component, path, 0, "the file is missing");
    } catch (UnreadableFileException | MismatchedFileException unusable) {
      report(component, path, 0, String.valueOf(unusable.getMessage()));
    } catch (IOException failure) {
      report(component, path, 0, "it cannot be read: " + failure);
    }
  }

  private void report(Component component, CorruptFileException damage) {
    report(
        component,
        damage.path(),
        damage.offset(),
        "expected " + damage.expected() + ", found " + damage.found());
  }

  private void report(Component component, String path, long offset, String what) {
    if (component == Component.DATA) {
      gap = true;
    }
    if (problems.size() == PROBLEMS_MAX) {
      complete = false;
      return;
    }
    problems.add(new Problem(path, offset, what, component != Component.DATA));
  }

  private void readFilter() throws IOException {
    try (BlockReader source = BlockReader.open(files, identity, Component.FILTER)) {
      filter = BloomFilter.read(source);
    }
  }

  private void openKeyIndex() throws IOException {
    MetaFile known = meta;
    KeyIndexes opener = keyIndexes;
    if (opener == null || known == null || known.keyEntries() == 0) {
      return;
    }
    ComponentFiles.Fingerprint expected =
        new ComponentFiles.Fingerprint(known.keyBytes(), known.keyChecksum());
    ComponentFiles.Fingerprint found =
        ComponentFiles.fingerprint(files, identity.path(Component.KEYS));
    if (!found.equals(expected)) {
      throw new CorruptFileException(
          files.describe(identity.path(Component.KEYS)),
          0,
          "the key index that the statistics name, of " + expected.bytes() + " bytes",
          "another, of " + found.bytes() + " bytes, or damaged ones");
    }
    keyIndex = opener.open(identity.path(Component.KEYS), known.keyEntries());
  }

  private void closeKeyIndex() throws IOException {
    if (keyIndex != null) {
      keyIndex.close();
    }
  }

  private void readData() throws IOException {
    try (BlockReader data = BlockReader.open(files, identity, Component.DATA)) {
      OpenComponents.DataFooter footer = OpenComponents.DataFooter.read(data);
      dataBytes = data.file().size();
      long at = data.start();
      while (at < data.end()) {
        at += readBlock(data, footer, at);
        blocks++;
        bytes = at - data.start();
        progress.accept(bytes);
      }
      if (!gap) {
        compareFooter(data, footer);
      }
    }
  }

  /** Checks one block, and returns the length of its frame. */
  private int readBlock(BlockReader data, OpenComponents.DataFooter footer, long at)
      throws IOException {
    int indexed = indexedLength(at);
    boolean afterLoss = lost;
    lost = true;
    int length;
    try {
      length = data.frameBytes(at, footer.maxFrameBytes());
      // Its length cannot be relied upon before its checksum was compared.
      byte[] content = data.read(at, length);
      checkBlock(data, content, at, length, afterLoss);
    } catch (CorruptFileException damage) {
      if (indexed < 0) {
        throw damage;
      }
      report(Component.DATA, damage);
      return indexed;
    }
    lost = false;
    if (indexed >= 0 && indexed != length) {
      report(
          Component.INDEX,
          indexPath,
          0,
          "expected an entry of "
              + length
              + " bytes for the block at "
              + at
              + ", found "
              + indexed);
    }
    return length;
  }

  private void checkBlock(BlockReader data, byte[] content, long at, int length, boolean afterLoss)
      throws CorruptFileException {
    try {
      checkRows(data, DataBlock.parse(content), at, length, afterLoss);
    } catch (CorruptDataException damage) {
      throw damage.inFile(data.path(), at);
    }
    uncompressed += content.length;
  }

  private void checkRows(BlockReader data, DataBlock block, long at, int length, boolean afterLoss)
      throws CorruptDataException, CorruptFileException {
    ByteReader reader = block.reader();
    boolean continued = block.continuesFromBefore(0);
    if (!afterLoss && continued != rowGoesOn) {
      throw data.corrupt(
          at,
          rowGoesOn ? "the continuation of row " + row : "the beginning of a row",
          continued ? "the continuation of a row" : "another row");
    }
    compareEntry(block, at, continued, reader);
    for (int i = 0; i < block.rows(); i++) {
      RowKey key = block.rowKey(i, reader);
      if (i > 0 || !continued) {
        beginRow(data, block, i, key, at);
        findRow(key, RowIndexSpool.pack(at, length));
      } else if (afterLoss) {
        atom = null;
        open = block.openBefore(i, block.firstAtom(i), reader);
      } else if (!key.equals(row)) {
        throw data.corrupt(at, "the continuation of row " + row, "that of row " + key);
      }
      row = key;
      checkAtoms(data, block, i, at);
    }
    rowGoesOn = block.continuesAfter(block.rows() - 1);
  }

  private void beginRow(BlockReader data, DataBlock block, int i, RowKey key, long at)
      throws CorruptDataException, CorruptFileException {
    if (row != null && row.compareTo(key) >= 0) {
      throw data.corrupt(at, "rows in ascending order", "row " + key + " after " + row);
    }
    byte[] token = tokens.apply(key.key());
    if (!Arrays.equals(token, key.token())) {
      throw data.corrupt(
          at,
          "row " + key + " with the token " + HexFormat.of().formatHex(token),
          HexFormat.of().formatHex(key.token()));
    }
    ByteReader reader = block.reader();
    atom = null;
    open = block.openBefore(i, block.firstAtom(i), reader);
    stats.row(key, block.rowDeletion(i, reader), open);
  }

  private void checkAtoms(BlockReader data, DataBlock block, int i, long at)
      throws CorruptDataException, CorruptFileException {
    ByteReader reader = block.reader();
    for (int each = block.firstAtom(i); each < block.endAtom(i); each++) {
      Atom next = block.atom(each, reader);
      Atom before = atom;
      if (before != null && identity.order().compare(before, next) >= 0) {
        throw data.corrupt(
            at, "columns of row " + row + " in ascending order", next + " after " + before);
      }
      if (next instanceof RangeTombstoneMarker marker) {
        if (!marker.before().equals(open)) {
          throw data.corrupt(at, "range deletions of row " + row + " that join", "" + marker);
        }
        open = marker.after();
        markers++;
      }
      stats.atom(next);
      atom = next;
    }
  }

  /** Looks a row up in what leads to it. */
  private void findRow(RowKey key, long position) {
    Hash128 hash = Hash128.of(key.key());
    BloomFilter bits = filter;
    if (bits != null && !bits.mightContain(hash)) {
      String path = files.describe(identity.path(Component.FILTER));
      report(Component.FILTER, path, 0, "expected row " + key + " in the filter, found no trace");
    }
    KeyIndex keys = keyIndex;
    long found = keys == null ? position : keys.find(hash.high(), hash.low());
    if (found != position) {
      String path = files.describe(identity.path(Component.KEYS));
      report(
          Component.KEYS,
          path,
          0,
          "expected row "
              + key
              + " at "
              + RowIndexSpool.offsetOf(position)
              + ", found "
              + (found < 0 ? "no position" : "" + RowIndexSpool.offsetOf(found)));
    }
  }

  /**
   * The length of the block's frame, by the index; -1 if there is no index or it does not go on to
   * this block, and is of no further use.
   */
  private int indexedLength(long at) {
    IndexWalk walk = index;
    if (walk == null) {
      return -1;
    }
    index = null;
    attempt(
        Component.INDEX,
        () -> {
          if (!walk.next()) {
            throw new CorruptFileException(
                indexPath, walk.place(), "an entry for the block at " + at, "the end of the index");
          }
          if (walk.offset() != at) {
            throw new CorruptFileException(
                indexPath,
                walk.place(),
                "an entry for the block at " + at,
                "one for a block at " + walk.offset());
          }
          indexedBytes = walk.frameBytes();
          index = walk;
        });
    return index == null ? -1 : indexedBytes;
  }

  private void compareEntry(DataBlock block, long at, boolean continued, ByteReader reader)
      throws CorruptDataException {
    IndexWalk walk = index;
    if (walk == null) {
      return;
    }
    RowKey key = block.rowKey(0, reader);
    Position begins = continued ? block.atom(block.firstAtom(0), reader) : null;
    attempt(
        Component.INDEX,
        () -> {
          if (!walk.key().equals(key)) {
            throw new CorruptFileException(
                indexPath, walk.place(), "row " + key + " for the block at " + at, "" + walk.key());
          }
          Position path = walk.path();
          boolean same =
              (path == null || begins == null)
                  ? path == null && begins == null
                  : identity.order().compare(path, begins) == 0;
          if (!same) {
            throw new CorruptFileException(
                indexPath,
                walk.place(),
                "the place in row " + key + " where the block at " + at + " begins",
                "another place");
          }
        });
  }

  private void finishIndex(BlockReader source) throws IOException {
    IndexWalk walk = index;
    if (walk != null && !gap && walk.next()) {
      throw new CorruptFileException(
          indexPath, walk.place(), "the end of the index", "an entry for " + walk.offset());
    }
    MetaFile known = meta;
    if (walk == null || known == null) {
      return;
    }
    ComponentFiles.Fingerprint found = ComponentFiles.fingerprint(source.file());
    if (found.bytes() != known.indexBytes() || found.checksum() != known.indexChecksum()) {
      throw source.corrupt(
          0,
          "the index that the statistics name, of " + known.indexBytes() + " bytes",
          "another, of " + found.bytes() + " bytes");
    }
  }

  private void compareFooter(BlockReader data, OpenComponents.DataFooter footer)
      throws IOException {
    OpenComponents.DataFooter found =
        new OpenComponents.DataFooter(
            stats.rows(), stats.cells(), markers, blocks, uncompressed, footer.maxFrameBytes());
    if (!found.equals(footer)) {
      throw data.corrupt(data.end(), "as many as " + footer, "" + found);
    }
  }

  /** What the statistics say, without the histogram, whose steps depend on the order of work. */
  private void compareStats() {
    MetaFile known = meta;
    if (known == null || gap || stats.rows() == 0) {
      return;
    }
    String path = files.describe(identity.path(Component.META));
    SSTableStats said = known.stats();
    SSTableStats found = stats.toStats(uncompressed, said.dataBytes());
    compare(path, "rows", said.rows(), found.rows());
    compare(path, "columns", said.cells(), found.cells());
    compare(path, "tombstones", said.tombstones(), found.tombstones());
    compare(path, "smallest timestamp", said.minTimestamp(), found.minTimestamp());
    compare(path, "greatest timestamp", said.maxTimestamp(), found.maxTimestamp());
    compare(path, "earliest deletion or expiry", said.minDropSeconds(), found.minDropSeconds());
    compare(path, "first key", said.firstKey(), found.firstKey());
    compare(path, "last key", said.lastKey(), found.lastKey());
    compare(path, "uncompressed bytes", said.uncompressedBytes(), found.uncompressedBytes());
    compare(path, "length of the data", said.dataBytes(), dataBytes);
  }

  private void compare(String path, String what, Object said, Object found) {
    if (!said.equals(found)) {
      report(
          Component.META, path, 0, what + ": the rows have " + found + ", the statistics " + said);
    }
  }
}
