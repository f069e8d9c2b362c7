package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.shell.output.Escapes;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.InvalidNameException;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;

/** Prints rows for people: names by their types, long values cut. */
final class RowText {

  private static final int VALUE_BYTES_MAX = 200;

  private final PrintWriter out;
  private final PathOrder order;

  RowText(PrintWriter out, PathOrder order) {
    this.out = out;
    this.order = order;
  }

  /** Prints a row. */
  void row(RowKey key, AtomCursor atoms) throws IOException {
    out.println("row " + text(key.key()) + ", token " + HexFormat.of().formatHex(key.token()));
    if (!atoms.rowDeletion().isNone()) {
      out.println("  all deleted " + when(atoms.rowDeletion()));
    }
    if (!atoms.open().isNone()) {
      out.println("  from the start on, deleted " + when(atoms.open()));
    }
    byte[] within = null;
    for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
      if (atom instanceof RangeTombstoneMarker marker) {
        marker(marker);
        continue;
      }
      Cell cell = (Cell) atom;
      if (cell.sub() != null && !Arrays.equals(within, cell.top())) {
        within = cell.top();
        out.println("  super column " + name(order.topType(), within));
      }
      out.println(
          (cell.sub() == null ? "  " : "    ")
              + name(order.leafType(), cell.name())
              + content(cell)
              + ", timestamp "
              + cell.timestamp());
    }
  }

  private static String content(Cell cell) {
    return switch (cell.kind()) {
      case LIVE -> " = " + value(cell);
      case DELETED -> " deleted at " + time(cell.localSeconds());
      case EXPIRING ->
          cell.hasValue()
              ? " = "
                  + value(cell)
                  + ", expires at "
                  + time(cell.localSeconds())
                  + ", ttl "
                  + cell.ttlSeconds()
                  + " s"
              : " expired at " + time(cell.localSeconds());
    };
  }

  private void marker(RangeTombstoneMarker marker) {
    String place = place(order, marker.bound());
    if (!marker.before().isNone()) {
      out.println("  up to " + place + ", deleted " + when(marker.before()));
    }
    if (!marker.after().isNone()) {
      out.println("  from " + place + " on, deleted " + when(marker.after()));
    }
  }

  /** A place between columns. */
  static String place(PathOrder order, Bound bound) {
    if (bound.weight() == -2 || bound.weight() == 2) {
      return bound.weight() < 0 ? "the start" : "the end";
    }
    byte[] sub = bound.sub();
    return (bound.weight() < 0 ? "before " : "after ")
        + name(order.topType(), bound.top())
        + (sub == null ? "" : "/" + name(order.leafType(), sub));
  }

  private static String name(ColumnComparator type, byte[] name) {
    try {
      type.validate(name);
      return Escapes.plain(type.display(name));
    } catch (InvalidNameException | RuntimeException notOfItsType) {
      return "0x" + HexFormat.of().formatHex(name);
    }
  }

  private static String value(Cell cell) {
    int length = Math.min(cell.valueLength(), VALUE_BYTES_MAX);
    byte[] shown =
        Arrays.copyOfRange(cell.valueArray(), cell.valueOffset(), cell.valueOffset() + length);
    return length == cell.valueLength()
        ? text(shown)
        : text(shown) + "... (" + cell.valueLength() + " bytes)";
  }

  private static String when(DeletionTime deletion) {
    return "at " + time(deletion.deletedAtSeconds()) + ", timestamp " + deletion.timestamp();
  }

  private static String time(long seconds) {
    try {
      return Instant.ofEpochSecond(seconds).toString();
    } catch (DateTimeException outOfRange) {
      return seconds + " s";
    }
  }

  /** Bytes as text in quotes if they are UTF-8, else in hexadecimal digits. */
  static String text(byte[] bytes) {
    try {
      return '"'
          + Escapes.plain(
              StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString())
          + '"';
    } catch (CharacterCodingException binary) {
      return "0x" + HexFormat.of().formatHex(bytes);
    }
  }
}
