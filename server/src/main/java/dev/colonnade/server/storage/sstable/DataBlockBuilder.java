package dev.colonnade.server.storage.sstable;

import static dev.colonnade.server.storage.sstable.DataBlock.*;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import java.util.Arrays;

/** Encodes one data block at a time; {@link DataBlock} reads it. */
final class DataBlockBuilder {
  private static final int FIXED_OVERHEAD_BYTES = 48;

  private final ByteWriter out;
  private final int shrinkToBytes;
  private boolean hasBase;
  private long base;
  private byte[] lastTop = new byte[0];
  private int lastTopAt;

  DataBlockBuilder(int blockBytes) {
    this.shrinkToBytes = 2 * blockBytes;
    this.out = new ByteWriter(shrinkToBytes);
  }

  /** An upper bound of the bytes that a cell takes. */
  static long boundOf(Cell cell) {
    return (long) FIXED_OVERHEAD_BYTES + cell.payloadBytes();
  }

  /** The same of a cell that is copied from another block. */
  static long boundOf(EncodedCell cell) {
    return (long) FIXED_OVERHEAD_BYTES + cell.topLength() + cell.subLength() + cell.valueLength();
  }

  /** An upper bound of the bytes that a marker takes. */
  static long boundOf(RangeTombstoneMarker marker) {
    byte[] sub = marker.sub();
    return 2L * FIXED_OVERHEAD_BYTES + marker.top().length + (sub == null ? 0 : sub.length);
  }

  /** An upper bound of the bytes that a row's header takes. */
  static long boundOf(RowKey key) {
    return 2L * FIXED_OVERHEAD_BYTES + key.token().length + key.key().length;
  }

  /** Forgets the last block and starts another. */
  void begin(boolean firstContinues) {
    out.resetAndShrink(shrinkToBytes);
    out.writeByte(firstContinues ? FIRST_CONTINUES : 0);
    out.writeLong(0);
    hasBase = false;
    base = 0;
    lastTopAt = 0;
  }

  int length() {
    return out.position();
  }

  void row(RowKey key, DeletionTime rowDeletion, boolean continuation, DeletionTime open) {
    int tag = TYPE_ROW;
    tag |= rowDeletion.isNone() ? 0 : ROW_DELETED;
    tag |= open.isNone() ? 0 : ROW_OPEN;
    tag |= continuation ? ROW_CONTINUES : 0;
    out.writeByte(tag);
    out.writeBytes(key.token());
    out.writeBytes(key.key());
    deletion(rowDeletion);
    deletion(open);
  }

  void cell(Cell cell) {
    byte[] sub = cell.sub();
    boolean sameTop = sub != null && lastTopAt > 0 && Arrays.equals(lastTop, cell.top());
    int tag = TYPE_CELL | cell.kind().code() << KIND_SHIFT;
    tag |= sub != null ? HAS_SUB : 0;
    tag |= sameTop ? TOP_ELSEWHERE : 0;
    out.writeByte(tag);
    if (sameTop) {
      out.writeVarint(lastTopAt);
    } else {
      lastTop = cell.top();
      lastTopAt = out.position();
      out.writeBytes(cell.top());
    }
    if (sub != null) {
      out.writeBytes(sub);
    }
    timestamp(cell.timestamp());
    switch (cell.kind()) {
      case LIVE -> value(cell);
      case EXPIRING -> {
        out.writeVarint(cell.ttlSeconds());
        out.writeSignedVarint(cell.localSeconds());
        value(cell);
      }
      case DELETED -> out.writeSignedVarint(cell.localSeconds());
    }
  }

  /**
   * Copies a live cell from another block. What depends on the block is made new: the timestamp,
   * which is a difference to the block's base, and the reference to a name that stands before.
   */
  void liveCell(EncodedCell cell) {
    byte[] source = cell.bytes();
    int topEnd = cell.topFrom() + cell.topLength();
    boolean sameTop =
        cell.hasSub()
            && lastTopAt > 0
            && Arrays.equals(lastTop, 0, lastTop.length, source, cell.topFrom(), topEnd);
    int tag = TYPE_CELL | Cell.CellKind.LIVE.code() << KIND_SHIFT;
    tag |= cell.hasSub() ? HAS_SUB : 0;
    tag |= sameTop ? TOP_ELSEWHERE : 0;
    out.writeByte(tag);
    if (sameTop) {
      out.writeVarint(lastTopAt);
    } else {
      if (cell.hasSub()) {
        lastTop = Arrays.copyOfRange(source, cell.topFrom(), topEnd);
        lastTopAt = out.position();
      }
      out.writeBytes(source, cell.topFrom(), cell.topLength());
    }
    if (cell.hasSub()) {
      out.writeBytes(source, cell.subFrom(), cell.subLength());
    }
    timestamp(cell.timestamp());
    out.writeBytes(source, cell.valueFrom(), cell.valueLength());
  }

  private void value(Cell cell) {
    out.writeBytes(cell.valueArray(), cell.valueOffset(), cell.valueLength());
  }

  void marker(RangeTombstoneMarker marker) {
    Bound bound = marker.bound();
    byte[] sub = bound.sub();
    int tag = TYPE_MARKER | (bound.weight() + 2) << WEIGHT_SHIFT;
    tag |= sub != null ? MARKER_HAS_SUB : 0;
    tag |= marker.before().isNone() ? 0 : HAS_BEFORE;
    tag |= marker.after().isNone() ? 0 : HAS_AFTER;
    out.writeByte(tag);
    out.writeBytes(bound.top());
    if (sub != null) {
      out.writeBytes(sub);
    }
    deletion(marker.before());
    deletion(marker.after());
  }

  /** Completes the block, which is then the first {@link #length} bytes of {@link #bytes}. */
  void finish(boolean lastContinues) {
    if (lastContinues) {
      out.array()[0] |= LAST_CONTINUES;
    }
    out.patchLong(1, base);
  }

  byte[] bytes() {
    return out.array();
  }

  private void deletion(DeletionTime deletion) {
    if (!deletion.isNone()) {
      timestamp(deletion.timestamp());
      out.writeSignedVarint(deletion.deletedAtSeconds());
    }
  }

  /** The first timestamp of a block is its base; the others are differences, mostly short. */
  private void timestamp(long timestamp) {
    if (!hasBase) {
      hasBase = true;
      base = timestamp;
    }
    out.writeSignedVarint(timestamp - base);
  }
}
