package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.ReadCommand;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.mutation.AtomCodec;
import dev.colonnade.server.storage.mutation.RowUpdateCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Encodes read commands for other nodes. Each method writes or reads its part of a message and
 * leaves the rest alone. Thread-safe: it has no state.
 */
public final class ReadCommandCodec {

  /**
   * A command and the family that it reads.
   *
   * @param truncation the last truncation of the family that the requester knows of
   */
  public record OfFamily<C extends ReadCommand>(FamilyId family, long truncation, C command) {}

  private static final int BETWEEN_BOUNDS = 0;
  private static final int TOP = 1;
  private static final int COLUMN_OF_TOP = 2;

  private static final int REVERSED = 1;
  private static final int BY_SUPER_COLUMN = 2;

  /**
   * A least timestamp follows. A node that is too old to know it refuses the read as it refuses a
   * damaged one, so the coordinator never takes an answer that was not filtered; all other reads
   * are written as before.
   */
  private static final int SINCE = 4;

  private static final int START_LISTED = 1;
  private static final int EMPTY_ROWS = 2;
  private static final int KEYS_ONLY = 4;

  private ReadCommandCodec() {}

  /** Writes a request about one row. */
  public static void writeSliceCommand(OfFamily<SliceCommand> asked, ByteWriter out) {
    SliceCommand command = asked.command();
    writeFamily(asked, out);
    RowUpdateCodec.writeKey(command.key(), out);
    writeSlice(command.slice(), out);
    writePosition(command.from(), out);
    out.writeVarint(command.bytes());
    out.writeSignedVarint(command.nowSeconds());
  }

  /** Reads a request about one row. */
  public static OfFamily<SliceCommand> readSliceCommand(ByteReader in) throws CorruptDataException {
    FamilyId family = readFamily(in);
    long truncation = in.readVarint();
    return new OfFamily<>(
        family,
        truncation,
        new SliceCommand(
            RowUpdateCodec.readKey(in),
            readSlice(in),
            readPosition(in),
            readAmount(in, "bytes"),
            in.readSignedVarint()));
  }

  /** Writes a request about a range of rows. */
  public static void writeRangeCommand(OfFamily<RangeCommand> asked, ByteWriter out) {
    RangeCommand command = asked.command();
    writeFamily(asked, out);
    RowUpdateCodec.writeKey(command.start(), out);
    out.writeByte(command.end().isPresent() ? 1 : 0);
    command.end().ifPresent(end -> RowUpdateCodec.writeKey(end, out));
    writePosition(command.inside(), out);
    out.writeByte(
        (command.startListed() ? START_LISTED : 0)
            | (command.includeEmptyRows() ? EMPTY_ROWS : 0)
            | (command.keysOnly() ? KEYS_ONLY : 0));
    writeSlice(command.slice(), out);
    out.writeVarint(command.rowsLeft());
    out.writeVarint(command.bytes());
    out.writeSignedVarint(command.nowSeconds());
  }

  /** Reads a request about a range of rows. */
  public static OfFamily<RangeCommand> readRangeCommand(ByteReader in) throws CorruptDataException {
    FamilyId family = readFamily(in);
    long truncation = in.readVarint();
    RowKey start = RowUpdateCodec.readKey(in);
    Optional<RowKey> end =
        in.readVarint("end of a range", 1) == 1
            ? Optional.of(RowUpdateCodec.readKey(in))
            : Optional.empty();
    Optional<SlicePosition> inside = readPosition(in);
    int flags = in.readVarint("options", START_LISTED | EMPTY_ROWS | KEYS_ONLY);
    return new OfFamily<>(
        family,
        truncation,
        new RangeCommand(
            start,
            end,
            inside,
            (flags & START_LISTED) != 0,
            readSlice(in),
            readAmount(in, "row limit"),
            (flags & EMPTY_ROWS) != 0,
            (flags & KEYS_ONLY) != 0,
            readAmount(in, "bytes"),
            in.readSignedVarint()));
  }

  private static void writeFamily(OfFamily<?> asked, ByteWriter out) {
    out.writeLong(asked.family().high());
    out.writeLong(asked.family().low());
    out.writeVarint(asked.truncation());
  }

  private static FamilyId readFamily(ByteReader in) throws CorruptDataException {
    return new FamilyId(in.readLong(), in.readLong());
  }

  private static void writeSlice(Slice slice, ByteWriter out) {
    boolean since = slice.minTimestamp() != Long.MIN_VALUE;
    out.writeByte(
        (slice.reversed() ? REVERSED : 0)
            | (slice.bySuperColumn() ? BY_SUPER_COLUMN : 0)
            | (since ? SINCE : 0));
    if (since) {
      out.writeLong(slice.minTimestamp());
    }
    out.writeVarint(slice.limit());
    out.writeVarint(slice.ranges().size());
    for (PathRange range : slice.ranges()) {
      writeRange(range, out);
    }
  }

  private static Slice readSlice(ByteReader in) throws CorruptDataException {
    int flags = in.readVarint("direction", REVERSED | BY_SUPER_COLUMN | SINCE);
    long minTimestamp = (flags & SINCE) != 0 ? in.readLong() : Long.MIN_VALUE;
    long limit = readAmount(in, "limit");
    int count = in.readLength("ranges", Integer.MAX_VALUE);
    List<PathRange> ranges = new ArrayList<>(Math.min(count, 1_024));
    for (int i = 0; i < count; i++) {
      ranges.add(readRange(in));
    }
    return new Slice(
        ranges, (flags & REVERSED) != 0, (flags & BY_SUPER_COLUMN) != 0, limit, minTimestamp);
  }

  /** Most ranges are single names, whose bounds need not be written twice. */
  private static void writeRange(PathRange range, ByteWriter out) {
    byte[] sub = range.start().sub();
    if (range.equals(PathRange.of(range.start().top()))) {
      out.writeByte(TOP);
      out.writeBytes(range.start().top());
    } else if (sub != null && range.equals(PathRange.of(range.start().top(), sub))) {
      out.writeByte(COLUMN_OF_TOP);
      out.writeBytes(range.start().top());
      out.writeBytes(sub);
    } else {
      out.writeByte(BETWEEN_BOUNDS);
      AtomCodec.writeBound(range.start(), out);
      AtomCodec.writeBound(range.end(), out);
    }
  }

  private static PathRange readRange(ByteReader in) throws CorruptDataException {
    int kind = in.readVarint("kind of range", COLUMN_OF_TOP);
    if (kind == BETWEEN_BOUNDS) {
      return new PathRange(AtomCodec.readBound(in), AtomCodec.readBound(in));
    }
    byte[] top = AtomCodec.readName(in);
    return kind == TOP ? PathRange.of(top) : PathRange.of(top, AtomCodec.readName(in));
  }

  private static void writePosition(Optional<SlicePosition> position, ByteWriter out) {
    if (position.isEmpty()) {
      out.writeByte(0);
      return;
    }
    out.writeByte(position.get().topCounted() ? 2 : 1);
    Bound at = position.get().at();
    AtomCodec.writeBound(at, out);
    out.writeVarint(position.get().counted());
  }

  private static Optional<SlicePosition> readPosition(ByteReader in) throws CorruptDataException {
    int kind = in.readVarint("position", 2);
    return kind == 0
        ? Optional.empty()
        : Optional.of(
            new SlicePosition(
                AtomCodec.readBound(in), kind == 2, readAmount(in, "columns counted")));
  }

  private static long readAmount(ByteReader in, String what) throws CorruptDataException {
    long amount = in.readVarint();
    if (amount < 0) {
      throw in.corrupt(what, "at most " + Long.MAX_VALUE, Long.toUnsignedString(amount));
    }
    return amount;
  }
}
