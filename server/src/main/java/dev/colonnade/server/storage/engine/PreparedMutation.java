package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mutation and the new states of its rows in memory. Only publishing is left, which compares no
 * names.
 *
 * @param rows one for each part of the mutation, in its order; null if no such family was open
 */
record PreparedMutation(Mutation mutation, List<@Nullable PreparedRow> rows) {

  /** The row in one family. */
  record PreparedRow(ColumnFamilyStore store, RowState state) {}
}
