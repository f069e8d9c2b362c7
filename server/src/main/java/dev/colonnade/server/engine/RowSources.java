package dev.colonnade.server.engine;

import dev.colonnade.server.memtable.Memtable;
import dev.colonnade.server.model.AtomCursor;
import dev.colonnade.server.model.MergingCursor;
import dev.colonnade.server.model.PathOrder;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowState;
import dev.colonnade.server.sstable.ReadContext;
import dev.colonnade.server.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Where one row is to be found in one view: states from memtables, taken once so that all ranges of
 * a read see the same row, and data files, asked as ranges are opened. For one thread and one read.
 */
final class RowSources implements RowOpener {

  private final RowKey key;
  private final PathOrder order;
  private final long nowSeconds;
  private final ReadContext context;
  private final List<RowState> states;
  private final List<SSTable> tables;

  private RowSources(
      RowKey key,
      PathOrder order,
      long nowSeconds,
      ReadContext context,
      List<RowState> states,
      List<SSTable> tables) {
    this.key = key;
    this.order = order;
    this.nowSeconds = nowSeconds;
    this.context = context;
    this.states = states;
    this.tables = tables;
  }

  /** The row in everything that the view holds. */
  static RowSources of(
      FamilyView view, RowKey key, PathOrder order, long nowSeconds, ReadContext context) {
    List<RowState> states = new ArrayList<>(2);
    addState(states, view.active(), key);
    for (FamilyView.Flushing flushing : view.flushing()) {
      addState(states, flushing.memtable(), key);
    }
    return new RowSources(key, order, nowSeconds, context, states, view.tables());
  }

  /** A row that is known whole. */
  static RowSources of(
      RowState whole, RowKey key, PathOrder order, long nowSeconds, ReadContext context) {
    return new RowSources(key, order, nowSeconds, context, List.of(whole), List.of());
  }

  private static void addState(List<RowState> states, Memtable memtable, RowKey key) {
    RowState state = memtable.row(key);
    if (state != null) {
      states.add(state);
    }
  }

  @Override
  public AtomCursor open(PathRange range, boolean reversed) throws IOException {
    List<AtomCursor> cursors = new ArrayList<>(states.size() + 2);
    for (RowState state : states) {
      cursors.add(state.cursor(range, reversed, order));
    }
    for (SSTable table : tables) {
      AtomCursor cursor = table.row(key, range, reversed, context);
      if (cursor != null) {
        cursors.add(cursor);
      }
    }
    return MergingCursor.of(cursors, order, reversed, nowSeconds);
  }
}
