package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.LiveRows;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.sstable.ReadContext;
import java.io.IOException;
import java.util.Optional;

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
  private final LiveRows live;

  private long tombstonesPassed;
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
    this.live = new LiveRows(command);
    this.rowsPerTurn = steps.readRows();
    this.atomsLeft = steps.readAtoms();
  }

  void read() throws IOException {
    view.requireNothingMissing(command.start(), command.end());
    RowKeys keys = RowKeys.from(view, command.start(), context);
    int looked = 0;
    RowKey previous = null;
    for (RowKey key = keys.next(); key != null; key = keys.next()) {
      if (command.end().isPresent() && key.compareTo(command.end().get()) >= 0) {
        return;
      }
      if (!live.isWanted(key)) {
        return;
      }
      if (previous != null && (live.bytesLeft() <= 0 || atomsLeft <= 0 || looked >= rowsPerTurn)) {
        live.pauseBehind(previous);
        return;
      }
      looked++;
      previous = key;
      if (!readRow(keys, key)) {
        return;
      }
    }
  }

  long tombstonesPassed() {
    return tombstonesPassed;
  }

  RangeRows rows() {
    return live.page();
  }

  /** Returns false when the turn ends inside the row. */
  private boolean readRow(RowKeys keys, RowKey key) throws IOException {
    Optional<SlicePosition> from = command.from(key);
    SliceReader reader =
        new SliceReader(
            order,
            keys.row(order).since(command.slice().minTimestamp()),
            command.sliceOfRow(),
            from,
            command.nowSeconds(),
            new ReadBudget(Math.max(1, live.bytesLeft()), Math.max(1, atomsLeft)),
            command.keysOnly() ? null : sink.row(key, from));
    reader.walk(from);
    atomsLeft -= reader.atomsPassed();
    tombstonesPassed += reader.tombstonesPassed();
    return live.take(key, RowPage.of(reader.live()), reader.live().deliveredBytes());
  }
}
