package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.LiveCells;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.sstable.ReadContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads one turn of a scan over one version. For one thread. */
final class RangeReader {

  private final FamilyVersion view;
  private final PathOrder order;
  private final long nowSeconds;
  private final RangeQuery query;
  private final ReadContext context;

  private final List<RangeRows.RangeRow> rows = new ArrayList<>();
  private RangeRows.@Nullable RangePause paused;
  private boolean topContinues;
  private long tombstonesPassed;
  private long bytesLeft;
  private final int rowsPerTurn;
  private int atomsLeft;

  RangeReader(
      FamilyVersion view,
      PathOrder order,
      long nowSeconds,
      RangeQuery query,
      WorkSteps steps,
      ReadContext context) {
    this.view = view;
    this.order = order;
    this.nowSeconds = nowSeconds;
    this.query = query;
    this.context = context;
    this.bytesLeft = query.bytes();
    this.rowsPerTurn = steps.readRows();
    this.atomsLeft = steps.readAtoms();
  }

  void read() throws IOException {
    view.requireNothingMissing(query.start(), query.end());
    RowKeys keys = RowKeys.from(view, query.start(), context);
    long listed = 0;
    int looked = 0;
    Optional<SlicePosition> inside = query.inside();
    RowKey previous = null;
    for (RowKey key = keys.next(); key != null; key = keys.next()) {
      if (query.end().isPresent() && key.compareTo(query.end().get()) >= 0) {
        break;
      }
      boolean goesOn = inside.isPresent() && key.equals(query.start());
      boolean counts = !(goesOn && query.startListed());
      if (counts && listed == query.rowLimit()) {
        break;
      }
      if (previous != null && (bytesLeft <= 0 || atomsLeft <= 0 || looked >= rowsPerTurn)) {
        paused = new RangeRows.RangePause(previous, Optional.empty());
        break;
      }
      looked++;
      previous = key;
      int before = rows.size();
      boolean done = readRow(key, goesOn ? inside : Optional.empty());
      if (counts && rows.size() > before) {
        listed++;
      }
      if (!done) {
        break;
      }
    }
  }

  long tombstonesPassed() {
    return tombstonesPassed;
  }

  RangeRows rows() {
    return new RangeRows(
        rows, Optional.ofNullable(paused), topContinues, tombstonesPassed, context.figures());
  }

  /** Returns false when the turn ends inside the row. */
  private boolean readRow(RowKey key, Optional<SlicePosition> from) throws IOException {
    // One live column is enough to list a key; a limit of 0 lists nothing.
    RowSourceSet sources = RowSourceSet.of(view, key, order, context);
    Slice slice = query.keysOnly() ? query.slice().atMost(1) : query.slice();
    SliceReader reader =
        new SliceReader(
            order,
            sources,
            slice,
            from,
            nowSeconds,
            new ReadBudget(Math.max(1, bytesLeft), Math.max(1, atomsLeft)),
            !query.keysOnly());
    reader.walk(from);
    LiveCells live = reader.live();
    atomsLeft -= reader.atomsPassed();
    tombstonesPassed += reader.tombstonesPassed();
    bytesLeft -= live.deliveredBytes();
    if (live.delivered() > 0 || (query.includeEmptyRows() && from.isEmpty())) {
      rows.add(new RangeRows.RangeRow(key, live.cells()));
      bytesLeft -= key.key().length;
    }
    boolean done = live.next().isEmpty() || (query.keysOnly() && live.delivered() > 0);
    if (!done) {
      paused = new RangeRows.RangePause(key, live.next());
      topContinues = live.topContinues();
    }
    return done;
  }
}
