package dev.colonnade.server.base.model;

import java.util.List;
import java.util.Optional;

/**
 * One page of rows in token order.
 *
 * @param rows listed ones
 * @param paused where to go on; empty when the range is complete or its row limit reached
 * @param topContinues whether it goes on inside the last cell's super column
 */
public record RangeRows(List<RowCells> rows, Optional<RowPosition> paused, boolean topContinues) {}
