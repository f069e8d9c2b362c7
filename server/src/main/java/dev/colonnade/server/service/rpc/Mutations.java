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

/** Checks a client's mutations and adds them to a row's update. Thread-safe. */
final class Mutations {

  private final RequestRules rules;
  private final Predicates predicates;

  Mutations(RequestRules rules, Predicates predicates) {
    this.rules = rules;
    this.predicates = predicates;
  }

  /** Adds one entry of a batch. */
  void add(
      Mutation mutation, String field, ColumnFamily family, RowUpdate.Builder row, WriteTime time) {
    switch (mutation.getKindCase()) {
      case COLUMN_OR_SUPER_COLUMN ->
          addColumns(
              mutation.getColumnOrSuperColumn(),
              field + ".column_or_super_column",
              family,
              row,
              time);
      case DELETION -> addDeletion(mutation.getDeletion(), field + ".deletion", family, row, time);
      default ->
          throw RequestRefusal.invalid(
              field, "a mutation is required: column_or_super_column or deletion");
    }
  }

  private void addColumns(
      ColumnOrSuperColumn columns,
      String field,
      ColumnFamily family,
      RowUpdate.Builder row,
      WriteTime time) {
    switch (columns.getValueCase()) {
      case COLUMN -> {
        if (family.isSuper()) {
          throw RequestRefusal.invalid(
              field + ".column",
              "the column family "
                  + family.name()
                  + " is Super: a column needs a super column around it");
        }
        row.add(cell(columns.getColumn(), field + ".column", family, null, time));
      }
      case SUPER_COLUMN -> addSuperColumn(columns.getSuperColumn(), field, family, row, time);
      default -> throw RequestRefusal.invalid(field, "a column or a super_column is required");
    }
  }

  /**
   * Adds a super column; one without columns changes nothing, in any family and whatever its name.
   */
  private void addSuperColumn(
      SuperColumn superColumn,
      String field,
      ColumnFamily family,
      RowUpdate.Builder row,
      WriteTime time) {
    if (superColumn.getColumnsCount() == 0) {
      return;
    }
    String inner = field + ".super_column";
    if (!family.isSuper()) {
      throw RequestRefusal.invalid(
          inner,
          "the column family " + family.name() + " is Standard: its rows have no super columns");
    }
    byte[] top = rules.name(inner + ".name", superColumn.getName(), family.order().topType());
    for (int i = 0; i < superColumn.getColumnsCount(); i++) {
      row.add(cell(superColumn.getColumns(i), inner + ".columns[" + i + "]", family, top, time));
    }
  }

  /** The cell of a column to be written; {@code superColumn} null in a Standard family. */
  Cell cell(
      Column column,
      String field,
      ColumnFamily family,
      byte @Nullable [] superColumn,
      WriteTime time) {
    byte[] name = rules.name(field + ".name", column.getName(), family.order().leafType());
    byte[] value = rules.value(field + ".value", column.getValue());
    int ttlSeconds =
        column.hasTtlSeconds()
            ? rules.ttlSeconds(field + ".ttl_seconds", column.getTtlSeconds())
            : family.options().defaultTtlSeconds();
    long timestamp = time.timestampOr(column.hasTimestamp(), column.getTimestamp());
    byte[] top = superColumn == null ? name : superColumn;
    byte[] sub = superColumn == null ? null : name;
    return ttlSeconds > 0
        ? Cell.expiring(top, sub, value, timestamp, ttlSeconds, time.nowSeconds() + ttlSeconds)
        : Cell.live(top, sub, value, timestamp);
  }

  private void addDeletion(
      Deletion deletion, String field, ColumnFamily family, RowUpdate.Builder row, WriteTime time) {
    byte[] superColumn =
        rules.superColumn(field, family, deletion.hasSuperColumn(), deletion.getSuperColumn());
    if (deletion.hasPredicate()) {
      SlicePredicate predicate = deletion.getPredicate();
      delete(
          predicate,
          field + ".predicate",
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
