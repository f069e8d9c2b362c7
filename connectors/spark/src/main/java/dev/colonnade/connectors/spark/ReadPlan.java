package dev.colonnade.connectors.spark;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the tasks of a scan ask for, and what they make of it. Immutable.
 *
 * @param wanted the fields of the rows that Spark gets
 * @param known all columns of the table; where none of them is, there is no row of the table
 * @param required columns without which there is no row of the table
 * @param selection what nodes are asked for
 * @param limit of rows of the table, for each task; 0 for none
 */
record ReadPlan(
    Settings settings,
    FamilyTypes types,
    Fields wanted,
    List<Fields.Field> known,
    List<Fields.Field> required,
    Selection selection,
    int limit)
    implements Serializable {

  /**
   * Decides what to ask for.
   *
   * @param table all fields
   * @param wanted the fields that Spark asks for
   * @param filters null if there are none
   */
  static ReadPlan of(
      Settings settings,
      FamilyTypes types,
      Fields table,
      Fields wanted,
      @Nullable PushedFilters filters,
      int limit) {
    Selection selection = filters == null ? Selection.ALL : filters.selection();
    List<Fields.Field> known = table.columns();
    if (table.isCells()) {
      return new ReadPlan(
          settings, types, wanted, List.of(), List.of(), selection.withLimit(limit), limit);
    }
    List<Fields.Field> required =
        known.stream()
            .filter(
                each ->
                    each.isRequired()
                        || (filters != null && filters.present().contains(each.name())))
            .toList();
    if (!types.isSuper()) {
      selection = named(known, required, wanted);
    }
    return new ReadPlan(settings, types, wanted, known, required, selection, limit);
  }

  /** Columns by name: those that are wanted, and those that tell whether there is a row. */
  private static Selection named(
      List<Fields.Field> known, List<Fields.Field> required, Fields wanted) {
    if (known.isEmpty()) {
      return Selection.ALL.withLimit(1);
    }
    Map<String, byte[]> names = new LinkedHashMap<>();
    List<Fields.Field> witnesses = required.isEmpty() ? known : required;
    wanted.columns().forEach(each -> names.put(each.name(), each.column()));
    witnesses.forEach(each -> names.put(each.name(), each.column()));
    return Selection.ALL.withNames(List.copyOf(names.values()));
  }
}
