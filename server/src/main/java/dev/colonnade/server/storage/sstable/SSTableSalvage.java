package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.InvalidNameException;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is sound of a damaged data file into a new one: the rows of all blocks whose checksums
 * match. Of a row that reaches into a damaged block its sound parts are kept. Rows and columns that
 * no file may have (out of order, of another token, with a name that is not of its type) are
 * refused one by one. The damaged file is not changed.
 *
 * <p>All that is written was in the file, but something may be missing, also deletions: data that
 * only they hid can appear again once the new file is served in place of the damaged one. Each
 * place where something may be missing is reported as a {@link Loss}.
 *
 * <p>Needs no component but the rows; the statistics prove that nothing is missing where the footer
 * of the rows is damaged. Memory does not grow with the file, apart from the filter of the new one.
 * For one file and one thread; blocks.
 */
public final class SSTableSalvage {

  /**
   * A place where something may be missing: rows, columns, and deletions.
   *
   * @param offset of the damage in bytes from the file's start
   * @param bytes of the file that were not used
   * @param what is wrong there
   * @param afterRow the row before it; null if it reaches to the first row
   * @param afterPlace null if all of that row is there, else the place in it from which on
   *     something may be missing
   * @param beforeRow the row behind it; null if it reaches to the last row
   * @param beforePlace null if all of that row is there, else the place in it up to which something
   *     may be missing
   */
  public record Loss(
      long offset,
      long bytes,
      String what,
      @Nullable RowKey afterRow,
      @Nullable Bound afterPlace,
      @Nullable RowKey beforeRow,
      @Nullable Bound beforePlace) {}

  /**
   * What was found.
   *
   * @param rowsOfFile how many rows the file had; empty if both footer and statistics are damaged
   * @param whole rows of which nothing is missing
   * @param incomplete rows of which a part is missing; the rest was written
   * @param refused rows that were left out though their block is sound
   * @param cells written: columns that are live, expiring, or deleted
   * @param losses how many were reported; 0 if nothing is missing
   * @param lostBytes of the file that were not used
   */
  public record Outcome(
      OptionalLong rowsOfFile,
      long whole,
      long incomplete,
      long refused,
      long cells,
      long losses,
      long lostBytes) {

    /** How many rows are missing altogether; empty if it is not known how many there were. */
    public OptionalLong lostRows() {
      return rowsOfFile.isEmpty()
          ? rowsOfFile
          : OptionalLong.of(Math.max(0, rowsOfFile.getAsLong() - whole - incomplete - refused));
    }
  }

  private final FileSystem files;
  private final SSTableIdentity identity;
  private final SSTableWriter writer;
  private final UnaryOperator<byte[]> tokens;
  private final Consumer<Loss> losses;
  private final LongConsumer progress;
  private final ByteReader reader = new ByteReader(new byte[0]);

  /** The last row that was read, refused or not. */
  private @Nullable RowKey row;

  /** What is written of it; null if it was refused. */
  private @Nullable SalvagedRow target;

  /** Whether it goes on in the next block. */
  private boolean goesOn;

  private boolean rowIncomplete;
  private @Nullable Position last;

  /** The last row that was written. */
  private @Nullable RowKey lastWritten;

  /** What was damaged before the next row. */
  private DamagedBlocks.@Nullable Gap gap;

  private long whole;
  private long incomplete;
  private long refused;

  /** All cells of sound blocks, and those of them that were written. */
  private long cellsRead;

  private long cells;
  private long lost;
  private long lostBytes;

  /**
   * Prepares the salvage of one file.
   *
   * @param files where it is
   * @param writer of the new file, of the same family and order; the caller's to finish or close
   * @param tokens the partitioner's: the token of a row key
   * @param losses is told of each place where something may be missing, in file order
   * @param progress is told the bytes of rows read so far, after each block
   */
  public SSTableSalvage(
      FileSystem files,
      SSTableIdentity identity,
      SSTableWriter writer,
      UnaryOperator<byte[]> tokens,
      Consumer<Loss> losses,
      LongConsumer progress) {
    this.files = files;
    this.identity = identity;
    this.writer = writer;
    this.tokens = tokens;
    this.losses = losses;
    this.progress = progress;
  }

  /**
   * Does it, once. If not a single row could be read, the writer got none and cannot be finished.
   *
   * @throws FileNotFoundException if there are no rows
   * @throws MismatchedFileException if it is another file
   * @throws UnreadableFileException if it is of another release
   * @throws IOException if it cannot be read, or the new file not be written
   */
  public Outcome run() throws IOException {
    MetaFile meta = statistics();
    try (DamagedBlocks blocks = DamagedBlocks.open(files, identity)) {
      for (DataBlock block = blocks.next(); block != null; block = blocks.next()) {
        gap = blocks.gap();
        read(block, blocks);
        progress.accept(blocks.bytesRead());
      }
      gap = meta != null && isAll(meta, blocks) ? null : blocks.gap();
      endOfFile(blocks);
      OpenComponents.DataFooter footer = blocks.footer();
      OptionalLong rowsOfFile =
          footer != null
              ? OptionalLong.of(footer.rows())
              : meta != null ? OptionalLong.of(meta.stats().rows()) : OptionalLong.empty();
      return new Outcome(rowsOfFile, whole, incomplete, refused, cells, lost, lostBytes);
    }
  }

  private @Nullable MetaFile statistics() throws IOException {
    try {
      return MetaFile.read(files, identity).meta();
    } catch (FileNotFoundException | UnreadableFileException | MismatchedFileException unusable) {
      return null;
    }
  }

  /** Whether the statistics prove that the blocks read are all that there were. */
  private boolean isAll(MetaFile meta, DamagedBlocks blocks) {
    return !goesOn
        && lost == 0
        && meta.stats().rows() == whole + (row == null ? 0 : 1)
        && meta.stats().cells() == cellsRead
        && blocks.footer() == null;
  }

  private void endOfFile(DamagedBlocks blocks) throws IOException {
    boolean cut = goesOn;
    Bound place = cut ? placeAfterLast() : null;
    endRow(!cut);
    OpenComponents.DataFooter footer = blocks.footer();
    if (gap != null) {
      report(gap, row, place, null, null);
    } else if (cut) {
      report(missing(blocks.end(), "the rest of the row does not follow"), row, place, null, null);
    } else if (footer != null
        && lost == 0
        && (footer.rows() != whole || footer.cells() != cellsRead)) {
      String what =
          "the footer tells of "
              + footer.rows()
              + " rows with "
              + footer.cells()
              + " columns, the blocks have "
              + whole
              + " with "
              + cellsRead;
      report(missing(blocks.end(), what), null, null, null, null);
    }
  }

  private static DamagedBlocks.Gap missing(long offset, String what) {
    return new DamagedBlocks.Gap(offset, 0, what);
  }

  private void read(DataBlock block, DamagedBlocks blocks) throws IOException {
    try {
      for (int i = 0; i < block.rows(); i++) {
        readRow(block, i, blocks.offset());
      }
    } catch (CorruptDataException undecodable) {
      gap = missing(blocks.offset(), String.valueOf(undecodable.getMessage()));
      goesOn = row != null;
    }
  }

  private void readRow(DataBlock block, int i, long offset)
      throws IOException, CorruptDataException {
    RowKey key = block.rowKey(i, reader);
    boolean continued = block.continuesFromBefore(i);
    DeletionTime open = block.openBefore(i, block.firstAtom(i), reader);
    Position first =
        block.firstAtom(i) < block.endAtom(i) ? block.atom(block.firstAtom(i), reader) : null;
    if (goesOn && continued && key.equals(row)) {
      goOn(open, first);
    } else {
      begin(key, continued, block.rowDeletion(i, reader), open, first, offset);
    }
    for (int each = block.firstAtom(i); each < block.endAtom(i); each++) {
      add(block.atom(each, reader), offset);
    }
    goesOn = block.continuesAfter(i);
  }

  /** The row goes on in this block, behind a gap perhaps. */
  private void goOn(DeletionTime open, @Nullable Position first) throws IOException {
    DamagedBlocks.Gap before = gap;
    if (before == null) {
      return;
    }
    report(before, row, placeAfterLast(), row, before(first));
    SalvagedRow current = target;
    if (current != null) {
      rowIncomplete = true;
      current.gap();
      current.resume(open);
    }
  }

  private void begin(
      RowKey key,
      boolean continued,
      DeletionTime rowDeletion,
      DeletionTime open,
      @Nullable Position first,
      long offset)
      throws IOException {
    boolean cut = goesOn;
    DamagedBlocks.Gap before = gap;
    if (before == null && (cut || continued)) {
      before = missing(offset, cut ? "the rest of a row is missing" : "a row's start is missing");
    }
    if (before != null) {
      Bound from = cut ? placeAfterLast() : null;
      report(before, row, from, key, continued ? before(first) : null);
    }
    endRow(!cut);
    last = null;
    String refusal = refusal(key);
    if (refusal.isEmpty()) {
      target = new SalvagedRow(writer, identity.order(), key, rowDeletion, open, !continued);
      rowIncomplete = continued;
      lastWritten = key;
    } else {
      refused++;
      report(missing(offset, refusal), key, Bound.START, key, Bound.END);
    }
    row = key;
  }

  /** Why a row cannot be in the new file; empty if it can. */
  private String refusal(RowKey key) {
    RowKey before = lastWritten;
    if (before != null && before.compareTo(key) >= 0) {
      return "row " + key + " is out of order: it comes after row " + before;
    }
    byte[] token = tokens.apply(key.key());
    return Arrays.equals(token, key.token())
        ? ""
        : "row "
            + key
            + " has another token than the partitioner's, "
            + HexFormat.of().formatHex(token);
  }

  private void add(Atom atom, long offset) throws IOException {
    SalvagedRow current = target;
    boolean isCell = atom instanceof Cell;
    cellsRead += isCell ? 1 : 0;
    if (current == null) {
      return;
    }
    String refusal = refusal(atom);
    if (refusal.isEmpty()
        && atom instanceof RangeTombstoneMarker marker
        && !marker.before().equals(current.open())) {
      lose(current, offset, "range deletions do not join", marker.bound());
      current.resume(marker.before());
    }
    if (!refusal.isEmpty()) {
      DeletionTime open = current.open();
      lose(current, offset, refusal, Bound.END);
      if (isCell) {
        current.resume(open);
      }
      return;
    }
    if (atom instanceof Cell cell) {
      current.cell(cell);
      cells++;
    } else if (atom instanceof RangeTombstoneMarker marker) {
      current.marker(marker);
    }
    last = atom;
  }

  /** Why an atom cannot be in the new file; empty if it can. */
  private String refusal(Atom atom) {
    byte[] sub = atom.sub();
    boolean needsSub = identity.order().isSuper() && atom instanceof Cell;
    if (sub == null ? needsSub : !identity.order().isSuper()) {
      return "a column at the wrong level: " + atom;
    }
    if (atom.weight() != Bound.START.weight() && atom.weight() != Bound.END.weight()) {
      try {
        identity.order().topType().validate(atom.top());
        if (sub != null) {
          identity.order().leafType().validate(sub);
        }
      } catch (InvalidNameException invalid) {
        return "a name that is not of its type: " + invalid.getMessage();
      }
    }
    Position before = last;
    return before == null || identity.order().compare(before, atom) < 0
        ? ""
        : "columns are out of order: " + atom + " after " + before;
  }

  private void lose(SalvagedRow current, long offset, String what, Bound upTo) throws IOException {
    rowIncomplete = true;
    report(missing(offset, what), row, placeAfterLast(), row, upTo);
    current.gap();
  }

  /** Ends the row that is being written, if there is one. */
  private void endRow(boolean endKnown) throws IOException {
    SalvagedRow current = target;
    target = null;
    goesOn = false;
    if (current == null) {
      return;
    }
    if (!endKnown) {
      current.gap();
      rowIncomplete = true;
    }
    current.end();
    whole += rowIncomplete ? 0 : 1;
    incomplete += rowIncomplete ? 1 : 0;
  }

  private Bound placeAfterLast() {
    Position before = last;
    return before == null
        ? Bound.START
        : before instanceof Cell cell ? Bound.after(cell) : boundOf(before);
  }

  private static Bound before(@Nullable Position first) {
    return first == null
        ? Bound.END
        : first instanceof Cell cell ? Bound.before(cell) : boundOf(first);
  }

  private static Bound boundOf(Position atom) {
    return ((RangeTombstoneMarker) atom).bound();
  }

  private void report(
      DamagedBlocks.Gap where,
      @Nullable RowKey afterRow,
      @Nullable Bound afterPlace,
      @Nullable RowKey beforeRow,
      @Nullable Bound beforePlace) {
    gap = null;
    lost++;
    lostBytes += where.bytes();
    losses.accept(
        new Loss(
            where.offset(),
            where.bytes(),
            where.what(),
            afterRow,
            afterPlace,
            beforeRow,
            beforePlace));
  }
}
