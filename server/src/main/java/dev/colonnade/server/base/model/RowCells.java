package dev.colonnade.server.base.model;

import java.util.List;

/** A listed row's live cells in reading order. */
public record RowCells(RowKey key, List<Cell> cells) {}
