package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.MergingCursor;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.storage.memtable.Memtable;
import dev.colonnade.server.storage.sstable.ReadContext;
import dev.colonnade.server.storage.sstable.RowKeyCursor;
import dev.colonnade.server.storage.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sources of one row in one version: states from memtables, taken once so that all ranges of a
 * read see the same row, and data files, read as ranges are opened. For one thread and one read.
 */
final class RowSourceSet implements SliceReader.RowCursorSource {

  /** The cost of looking up a range in one source, in comparisons. */
  private static final int LOOKUP_UNITS = 4;

  private final RowKey key;
  private final PathOrder order;
  private final ReadContext context;
  private final List<RowState> states;
  private final List<SSTable> tables;

  /** Where the row is in each file, null for those without it; null if it must be looked up. */
  private final @Nullable RowKeyCursor @Nullable [] places;

  private final List<Quarantined> quarantined;

  /** What is older need not be found. */
  private final long minTimestamp;

  private RowSourceSet(
      RowKey key,
      PathOrder order,
      ReadContext context,
      List<RowState> states,
      List<SSTable> tables,
      @Nullable RowKeyCursor @Nullable [] places,
      List<Quarantined> quarantined,
      long minTimestamp) {
    this.key = key;
    this.order = order;
    this.context = context;
    this.states = states;
    this.tables = tables;
    this.places = places;
    this.quarantined = quarantined;
    this.minTimestamp = minTimestamp;
  }

  /** Returns the row's sources in the whole version. */
  static RowSourceSet of(FamilyVersion view, RowKey key, PathOrder order, ReadContext context) {
    List<RowState> states = new ArrayList<>(2);
    addState(states, view.active(), key);
    for (FamilyVersion.Flushing flushing : view.flushing()) {
      addState(states, flushing.memtable(), key);
    }
    return new RowSourceSet(
        key, order, context, states, view.tables(), null, view.quarantined(), Long.MIN_VALUE);
  }

  /**
   * Returns the row's sources in the whole version, for a walk over its keys.
   *
   * @param states what the memtables have of the row
   * @param places for each file of the version the cursor that has just returned the key, or null
   *     if the file does not have the row
   */
  static RowSourceSet at(
      FamilyVersion view,
      RowKey key,
      List<RowState> states,
      @Nullable RowKeyCursor[] places,
      PathOrder order,
      ReadContext context) {
    return new RowSourceSet(
        key, order, context, states, view.tables(), places, view.quarantined(), Long.MIN_VALUE);
  }

  /** Returns the source of a row that is known whole. */
  static RowSourceSet of(RowState whole, RowKey key, PathOrder order, ReadContext context) {
    return new RowSourceSet(
        key, order, context, List.of(whole), List.of(), null, List.of(), Long.MIN_VALUE);
  }

  /**
   * Returns the same sources without the files that have nothing as new as this; the rest may hold
   * older things, too.
   */
  RowSourceSet since(long timestamp) {
    return timestamp == minTimestamp
        ? this
        : new RowSourceSet(key, order, context, states, tables, places, quarantined, timestamp);
  }

  private static void addState(List<RowState> states, Memtable memtable, RowKey key) {
    RowState state = memtable.row(key);
    if (state != null) {
      states.add(state);
    }
  }

  @Override
  public AtomCursor open(PathRange range, boolean reversed) throws IOException {
    context.work().spend(LOOKUP_UNITS * (1 + states.size() + tables.size()));
    List<AtomCursor> cursors = new ArrayList<>(states.size() + 2);
    if (range.isOneColumn(order)) {
      addNewest(cursors, range, reversed);
    } else {
      addAll(cursors, range, reversed);
    }
    return MergingCursor.of(cursors, order, reversed, context.work());
  }

  /** As {@link #open}, but with everything known, also what cannot matter to a reader. */
  AtomCursor openWhole(PathRange range, boolean reversed) throws IOException {
    context.work().spend(LOOKUP_UNITS * (1 + states.size() + tables.size()));
    List<AtomCursor> cursors = new ArrayList<>(states.size() + 2);
    addAll(cursors, range, reversed);
    return MergingCursor.of(cursors, order, reversed, context.work());
  }

  private void addAll(List<AtomCursor> cursors, PathRange range, boolean reversed)
      throws IOException {
    requireNothingMissing(minTimestamp);
    for (RowState state : states) {
      cursors.add(state.cursor(range, reversed, order));
    }
    for (int i = 0; i < tables.size() && !isTooOld(tables.get(i), minTimestamp); i++) {
      AtomCursor cursor = openIn(i, range, reversed);
      if (cursor != null) {
        cursors.add(cursor);
      }
    }
  }

  /**
   * Of one column only the newest version matters, and each file knows its newest timestamp: files
   * older than the version or deletion found already need not be opened. Files come newest first.
   */
  private void addNewest(List<AtomCursor> cursors, PathRange range, boolean reversed)
      throws IOException {
    long found = minTimestamp;
    for (RowState state : states) {
      found = Math.max(found, add(cursors, state.cursor(range, reversed, order)));
    }
    for (int i = 0; i < tables.size() && !isTooOld(tables.get(i), found); i++) {
      AtomCursor cursor = openIn(i, range, reversed);
      if (cursor != null) {
        found = Math.max(found, add(cursors, cursor));
      }
    }
    requireNothingMissing(found);
  }

  private static boolean isTooOld(SSTable table, long timestamp) {
    return table.stats().maxTimestamp() < timestamp;
  }

  private @Nullable AtomCursor openIn(int table, PathRange range, boolean reversed)
      throws IOException {
    if (places == null) {
      return tables.get(table).row(key, range, reversed, context);
    }
    RowKeyCursor place = places[table];
    return place == null ? null : place.row(range, reversed);
  }

  /** Refuses to answer if a quarantined file may hold something at least as new about the row. */
  private void requireNothingMissing(long timestamp) throws MissingDataException {
    for (Quarantined file : quarantined) {
      if (file.mayMiss(key, timestamp)) {
        throw file.missing();
      }
    }
  }

  private static long add(List<AtomCursor> cursors, AtomCursor cursor) throws IOException {
    PeekingCursor peeked = new PeekingCursor(cursor);
    cursors.add(peeked);
    return peeked.newestTimestamp();
  }
}
