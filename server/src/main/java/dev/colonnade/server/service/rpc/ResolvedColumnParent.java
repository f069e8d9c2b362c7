package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.v1.ColumnParent;
import org.jspecify.annotations.Nullable;

/**
 * A checked column parent: the names under a row, or under one super column of it.
 *
 * @param superColumn null for the names directly under the row
 */
@SuppressWarnings("ArrayRecordComponent")
record ResolvedColumnParent(ColumnFamily family, byte @Nullable [] superColumn) {

  static ResolvedColumnParent check(RequestRules rules, Keyspace keyspace, ColumnParent parent) {
    ColumnFamily family =
        rules.family(keyspace, "column_parent.column_family", parent.getColumnFamily());
    return new ResolvedColumnParent(
        family,
        rules.superColumn(
            "column_parent", family, parent.hasSuperColumn(), parent.getSuperColumn()));
  }

  /** Whether the answer lists super columns rather than columns. */
  boolean grouped() {
    return family.isSuper() && superColumn == null;
  }
}
