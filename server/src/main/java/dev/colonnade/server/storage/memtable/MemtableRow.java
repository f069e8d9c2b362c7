package dev.colonnade.server.storage.memtable;

import dev.colonnade.server.base.model.RowState;

/** Holds a row's current state in a memtable. */
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
