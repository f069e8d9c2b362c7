package dev.colonnade.server.sim.store;

import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.storage.engine.ReadOutput;

/** Pages whose cells are collected as they are, where services would encode them. */
public final class ListedPages {

  /** The live cells of a slice, or how many there are. */
  public static final ReadOutput<SliceCommand, RowPage> ROW = ReadOutput.rowPage(PageSink.LISTS);

  /** The live cells of rows in token order, or their keys. */
  public static final ReadOutput<RangeCommand, RangeRows> RANGE =
      ReadOutput.rangePage(PageSink.LISTS);

  private ListedPages() {}
}
