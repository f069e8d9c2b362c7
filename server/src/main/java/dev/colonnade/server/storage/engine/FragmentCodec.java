package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.storage.mutation.AtomCodec;
import dev.colonnade.server.storage.mutation.RowUpdateCodec;
import dev.colonnade.server.storage.sstable.ReadFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Encodes fragments for other nodes, and computes their digests. Each method writes or reads its
 * part of a message and leaves the rest alone.
 *
 * <p>What is read may come from a node with a different view of the schema, so the order of atoms
 * is checked, since merging relies on it. Thread-safe: it has no state.
 */
public final class FragmentCodec {

  private static final int DIGEST_BUFFER_BYTES = 512;

  private FragmentCodec() {}

  /** Writes a part of a row. */
  public static void writeRow(RowFragment fragment, ByteWriter out) {
    out.writeByte(fragment.end().isPresent() ? 1 : 0);
    fragment.end().ifPresent(end -> AtomCodec.writeBound(end, out));
    RowUpdateCodec.write(fragment.atoms(), out);
  }

  /**
   * Reads a part of a row.
   *
   * @param order of the family in the request
   */
  public static RowFragment readRow(ByteReader in, PathOrder order) throws CorruptDataException {
    boolean ends = readFlag(in, "end of a fragment");
    Optional<Bound> end = ends ? Optional.of(AtomCodec.readBound(in)) : Optional.empty();
    RowUpdate atoms = RowUpdateCodec.read(in);
    requireOrder(atoms, order, in);
    return new RowFragment(atoms, end);
  }

  /** Writes parts of rows. */
  public static void writeRange(RangeFragment fragment, ByteWriter out) {
    out.writeByte(fragment.end().isPresent() ? 1 : 0);
    fragment.end().ifPresent(end -> RowUpdateCodec.writeKey(end, out));
    out.writeVarint(fragment.rows().size());
    for (RangeFragment.Row row : fragment.rows()) {
      RowUpdateCodec.writeKey(row.key(), out);
      writeRow(row.fragment(), out);
    }
  }

  /**
   * Reads parts of rows.
   *
   * @param order of the family in the request
   */
  public static RangeFragment readRange(ByteReader in, PathOrder order)
      throws CorruptDataException {
    boolean ends = readFlag(in, "end of a range");
    Optional<RowKey> end = ends ? Optional.of(RowUpdateCodec.readKey(in)) : Optional.empty();
    int count = in.readLength("rows", Integer.MAX_VALUE);
    List<RangeFragment.Row> rows = new ArrayList<>(Math.min(count, 1_024));
    RowKey previous = null;
    for (int i = 0; i < count; i++) {
      RowKey key = RowUpdateCodec.readKey(in);
      if (previous != null && previous.compareTo(key) >= 0) {
        throw in.corrupt("row key", "a key after the previous row's", "another");
      }
      previous = key;
      rows.add(new RangeFragment.Row(key, readRow(in, order)));
    }
    return new RangeFragment(rows, end);
  }

  /** Writes the cost of a fragment's read. */
  public static void writeCost(ReadResponse<?> read, ByteWriter out) {
    out.writeVarint(read.tombstones());
    read.figures().write(out);
  }

  /** Reads the cost of a fragment's read, and joins it with the fragment. */
  public static <T> ReadResponse<T> readCost(T fragment, ByteReader in)
      throws CorruptDataException {
    return new ReadResponse<>(fragment, in.readVarint(), ReadFigures.read(in));
  }

  /** Equal for fragments with equal content; a collision is improbable. */
  public static Hash128 digest(RowFragment fragment) {
    ByteWriter out = new ByteWriter(DIGEST_BUFFER_BYTES);
    writeRow(fragment, out);
    return Hash128.of(out.array(), 0, out.position());
  }

  /** Equal for fragments with equal content; a collision is improbable. */
  public static Hash128 digest(RangeFragment fragment) {
    ByteWriter out = new ByteWriter(DIGEST_BUFFER_BYTES);
    writeRange(fragment, out);
    return Hash128.of(out.array(), 0, out.position());
  }

  private static void requireOrder(RowUpdate atoms, PathOrder order, ByteReader in)
      throws CorruptDataException {
    Position reached = null;
    for (RangeTombstone range : atoms.ranges()) {
      boolean ordered = reached == null || order.compare(reached, range.start()) <= 0;
      if (!ordered || order.compare(range.start(), range.end()) >= 0 || range.deletion().isNone()) {
        throw in.corrupt("range deletion", "one after the previous one", "another");
      }
      reached = range.end();
    }
    Cell previous = null;
    for (Cell cell : atoms.cells()) {
      boolean fits = (cell.sub() != null) == order.isSuper();
      if (!fits || (previous != null && order.compare(previous, cell) >= 0)) {
        throw in.corrupt("cell", "one after the previous one", "another");
      }
      previous = cell;
    }
  }

  private static boolean readFlag(ByteReader in, String what) throws CorruptDataException {
    return in.readVarint(what, 1) == 1;
  }
}
