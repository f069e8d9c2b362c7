package dev.colonnade.server.memtable;

import dev.colonnade.server.model.RowState;

/** Where a memtable keeps a row's present state. */
public final class MemtableRow {

  private volatile RowState state;

  MemtableRow(RowState state) {
    this.state = state;
  }

  /** A snapshot of the row. */
  public RowState state() {
    return state;
  }

  void become(RowState next) {
    state = next;
  }
}
