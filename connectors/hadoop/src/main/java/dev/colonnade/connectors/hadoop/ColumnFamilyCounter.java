package dev.colonnade.connectors.hadoop;

/** What jobs count beside Hadoop's own counters. */
public enum ColumnFamilyCounter {
  /** Rows that were read. */
  ROWS_READ,
  /** Columns that were read. */
  COLUMNS_READ,
  /** Columns and deletions that nodes have taken. */
  CHANGES_WRITTEN,
  /** Columns that were loaded in bulk. */
  COLUMNS_LOADED,
  /** Parts of a bulk load that a replica lacks although the level is met. */
  PARTS_MISSING_AT_A_REPLICA
}
