package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.LiveCells;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPosition;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.sstable.ReadContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one turn of a scan over one version. {@link RangeFragmentReader} goes the same way for
 * replicas, but ends by other rules: its end may depend on the rows' content only, so that replicas
 * with the same content answer the same; this one may also end by the work done. For one thread.
 */
final class RangeReader {

  private final FamilyVersion view;
  private final PathOrder order;
  private final RangeCommand command;
  private final ReadContext context;
  private final PageSink sink;

  private final List<RowCells> rows = new ArrayList<>();
  private @Nullable RowPosition paused;
  private boolean topContinues;
  private long tombstonesPassed;
  private long bytesLeft;
  private final int rowsPerTurn;
  private int atomsLeft;

  RangeReader(
      FamilyVersion view,
      PathOrder order,
      RangeCommand command,
      WorkSteps steps,
      ReadContext context,
      PageSink sink) {
    this.view = view;
    this.order = order;
    this.command = command;
    this.context = context;
    this.sink = sink;
    this.bytesLeft = command.bytes();
    this.rowsPerTurn = steps.readRows();
    this.atomsLeft = steps.readAtoms();
  }

  void read() throws IOException {
    view.requireNothingMissing(command.start(), command.end());
    RowKeys keys = RowKeys.from(view, command.start(), context);
    long listed = 0;
    int looked = 0;
    Optional<SlicePosition> inside = command.inside();
    RowKey previous = null;
    for (RowKey key = keys.next(); key != null; key = keys.next()) {
      if (command.end().isPresent() && key.compareTo(command.end().get()) >= 0) {
        break;
      }
      boolean goesOn = inside.isPresent() && key.equals(command.start());
      boolean counts = !(goesOn && command.startListed());
      if (counts && listed == command.rowLimit()) {
        break;
      }
      if (previous != null && (bytesLeft <= 0 || atomsLeft <= 0 || looked >= rowsPerTurn)) {
        paused = new RowPosition(previous, Optional.empty());
        break;
      }
      looked++;
      previous = key;
      int before = rows.size();
      boolean done = readRow(keys, key, goesOn ? inside : Optional.empty());
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
    return new RangeRows(rows, Optional.ofNullable(paused), topContinues);
  }

  /** Returns false when the turn ends inside the row. */
  private boolean readRow(RowKeys keys, RowKey key, Optional<SlicePosition> from)
      throws IOException {
    SliceReader reader =
        new SliceReader(
            order,
            keys.row(order),
            command.sliceOfRow(),
            from,
            command.nowSeconds(),
            new ReadBudget(Math.max(1, bytesLeft), Math.max(1, atomsLeft)),
            command.keysOnly() ? null : sink.row(key, from));
    reader.walk(from);
    LiveCells live = reader.live();
    atomsLeft -= reader.atomsPassed();
    tombstonesPassed += reader.tombstonesPassed();
    bytesLeft -= live.deliveredBytes();
    if (live.delivered() > 0 || (command.includeEmptyRows() && from.isEmpty())) {
      rows.add(new RowCells(key, live.cells()));
      bytesLeft -= key.key().length;
    }
    boolean done = live.next().isEmpty() || (command.keysOnly() && live.delivered() > 0);
    if (!done) {
      paused = new RowPosition(key, live.next());
      topContinues = live.topContinues();
    }
    return done;
  }
}
