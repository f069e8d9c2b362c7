package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.SuperColumn;
import org.jspecify.annotations.Nullable;

/**
 * Checks a client's mutations and adds them to a row's update. Fields in refusals are relative to
 * the part that a method checks; its caller says where that part is ({@link
 * RequestRefusal#within}). Thread-safe.
 */
final class Mutations {

  private static final String COLUMNS = "column_or_super_column";
  private static final String COLUMN = COLUMNS + ".column";
  private static final String SUPER_COLUMN = COLUMNS + ".super_column";
  private static final String DELETION = "deletion";

  private final RequestRules rules;
  private final Predicates predicates;

  Mutations(RequestRules rules, Predicates predicates) {
    this.rules = rules;
    this.predicates = predicates;
  }

  /** Adds one entry of a batch. */
  void add(Mutation mutation, ColumnFamily family, RowUpdate.Builder row, WriteTime time) {
    switch (mutation.getKindCase()) {
      case COLUMN_OR_SUPER_COLUMN ->
          addColumns(mutation.getColumnOrSuperColumn(), family, row, time);
      case DELETION -> addDeletion(mutation.getDeletion(), family, row, time);
      default ->
          throw RequestRefusal.invalid(
              null, "a mutation is required: column_or_super_column or deletion");
    }
  }

  private void addColumns(
      ColumnOrSuperColumn columns, ColumnFamily family, RowUpdate.Builder row, WriteTime time) {
    switch (columns.getValueCase()) {
      case COLUMN -> {
        if (family.isSuper()) {
          throw RequestRefusal.invalid(
              COLUMN,
              "the column family "
                  + family.name()
                  + " is Super: a column needs a super column around it");
        }
        try {
          row.add(cell(columns.getColumn(), family, null, time));
        } catch (RequestRefusal refusal) {
          throw refusal.within(COLUMN);
        }
      }
      case SUPER_COLUMN -> addSuperColumn(columns.getSuperColumn(), family, row, time);
      default -> throw RequestRefusal.invalid(COLUMNS, "a column or a super_column is required");
    }
  }

  /**
   * Adds a super column; one without columns changes nothing, in any family and whatever its name.
   */
  private void addSuperColumn(
      SuperColumn superColumn, ColumnFamily family, RowUpdate.Builder row, WriteTime time) {
    if (superColumn.getColumnsCount() == 0) {
      return;
    }
    if (!family.isSuper()) {
      throw RequestRefusal.invalid(
          SUPER_COLUMN,
          "the column family " + family.name() + " is Standard: its rows have no super columns");
    }
    byte[] top =
        rules.name(SUPER_COLUMN + ".name", superColumn.getName(), family.order().topType());
    for (int i = 0; i < superColumn.getColumnsCount(); i++) {
      try {
        row.add(cell(superColumn.getColumns(i), family, top, time));
      } catch (RequestRefusal refusal) {
        throw refusal.within(SUPER_COLUMN + ".columns[" + i + "]");
      }
    }
  }

  /** The cell of a column to be written; {@code superColumn} null in a Standard family. */
  Cell cell(Column column, ColumnFamily family, byte @Nullable [] superColumn, WriteTime time) {
    byte[] name = rules.name("name", column.getName(), family.order().leafType());
    byte[] value = rules.value("value", column.getValue());
    int ttlSeconds =
        column.hasTtlSeconds()
            ? rules.ttlSeconds("ttl_seconds", column.getTtlSeconds())
            : family.options().defaultTtlSeconds();
    long timestamp = time.timestampOr(column.hasTimestamp(), column.getTimestamp());
    byte[] top = superColumn == null ? name : superColumn;
    byte[] sub = superColumn == null ? null : name;
    return ttlSeconds > 0
        ? Cell.expiring(top, sub, value, timestamp, ttlSeconds, time.nowSeconds() + ttlSeconds)
        : Cell.live(top, sub, value, timestamp);
  }

  private void addDeletion(
      Deletion deletion, ColumnFamily family, RowUpdate.Builder row, WriteTime time) {
    byte[] superColumn =
        rules.superColumn(DELETION, family, deletion.hasSuperColumn(), deletion.getSuperColumn());
    if (deletion.hasPredicate()) {
      SlicePredicate predicate = deletion.getPredicate();
      delete(
          predicate,
          DELETION + ".predicate",
          family,
          superColumn,
          row,
          () -> time.deletion(deletion.hasTimestamp(), deletion.getTimestamp()));
    } else {
      deleteAll(superColumn, row, time.deletion(deletion.hasTimestamp(), deletion.getTimestamp()));
    }
  }

  /** Deletes a row, or one super column. */
  static void deleteAll(
      byte @Nullable [] superColumn, RowUpdate.Builder row, DeletionTime deletion) {
    if (superColumn == null) {
      row.deleteRow(deletion);
    } else {
      row.deleteRange(Predicates.all(superColumn), deletion);
    }
  }

  /** Deletes one column, or in a Super family without {@code superColumn} one super column. */
  static void deleteName(
      ColumnFamily family,
      byte @Nullable [] superColumn,
      byte[] name,
      RowUpdate.Builder row,
      DeletionTime deletion) {
    if (!family.isSuper()) {
      row.add(Cell.deleted(name, null, deletion));
    } else if (superColumn != null) {
      row.add(Cell.deleted(superColumn, name, deletion));
    } else {
      row.deleteRange(Predicates.all(name), deletion);
    }
  }

  /** The source of a deletion's time; called only if there is something to delete. */
  interface DeletionSource {
    DeletionTime deletion();
  }

  /** Deletes the columns of a predicate, at the level given by {@code superColumn}. */
  void delete(
      SlicePredicate predicate,
      String field,
      ColumnFamily family,
      byte @Nullable [] superColumn,
      RowUpdate.Builder row,
      DeletionSource time) {
    PathOrder order = family.order();
    if (predicate.hasMinTimestamp()) {
      throw RequestRefusal.invalid(
          field + ".min_timestamp",
          "a deletion hides what has its own timestamp or a lower one; it takes no least timestamp");
    }
    switch (predicate.getKindCase()) {
      case COLUMN_NAMES -> {
        for (byte[] name :
            predicates.names(
                predicate.getColumnNames().getNamesList(),
                field + ".column_names.names",
                order,
                superColumn)) {
          deleteName(family, superColumn, name, row, time.deletion());
        }
      }
      case SLICE_RANGE -> {
        SliceRange range = predicate.getSliceRange();
        String inner = field + ".slice_range";
        if (range.hasCount()) {
          throw RequestRefusal.invalid(
              inner + ".count", "a deletion covers a whole range and cannot be counted");
        }
        if (range.getReversed()) {
          throw RequestRefusal.invalid(
              inner + ".reversed", "a deletion has no direction; give the smaller end as start");
        }
        if (range.getStart().isEmpty() && range.getFinish().isEmpty()) {
          deleteAll(superColumn, row, time.deletion());
        } else {
          row.deleteRange(predicates.range(range, inner, order, superColumn), time.deletion());
        }
      }
      default ->
          throw RequestRefusal.invalid(field, "a predicate has column_names or a slice_range");
    }
  }
}
