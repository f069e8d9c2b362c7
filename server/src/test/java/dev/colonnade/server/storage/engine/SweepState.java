package dev.colonnade.server.storage.engine;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The contents of a store at one moment of a script, as a plain model: families by name, in each
 * the columns by {@code row/column}. Immutable.
 */
record SweepState(Map<String, Map<String, String>> families) {

  static final SweepState EMPTY = new SweepState(new TreeMap<>());

  SweepState withFamily(String name) {
    return changed(families -> families.put(name, new TreeMap<>()));
  }

  SweepState withoutFamily(String name) {
    return changed(families -> families.remove(name));
  }

  /** With other contents of one family; the same if there is no such family. */
  SweepState withRows(String family, Consumer<Map<String, String>> change) {
    return changed(
        families -> {
          Map<String, String> rows = families.get(family);
          if (rows != null) {
            Map<String, String> copy = new TreeMap<>(rows);
            change.accept(copy);
            families.put(family, copy);
          }
        });
  }

  private SweepState changed(Consumer<Map<String, Map<String, String>>> change) {
    Map<String, Map<String, String>> copy = new TreeMap<>(families);
    change.accept(copy);
    return new SweepState(copy);
  }

  /** Where two states differ, in few words. */
  String differenceTo(SweepState found) {
    StringBuilder text = new StringBuilder();
    if (!families.keySet().equals(found.families.keySet())) {
      text.append("families ").append(families.keySet()).append(" but found ");
      text.append(found.families.keySet()).append("; ");
    }
    families.forEach(
        (family, rows) -> {
          Map<String, String> other = found.families.getOrDefault(family, Map.of());
          rows.forEach(
              (cell, value) -> {
                if (!value.equals(other.get(cell))) {
                  text.append(family).append('/').append(cell).append('=').append(value);
                  text.append(" but found ").append(other.get(cell)).append("; ");
                }
              });
          other.forEach(
              (cell, value) -> {
                if (!rows.containsKey(cell)) {
                  text.append(family).append('/').append(cell).append(" gone");
                  text.append(" but found ").append(value).append("; ");
                }
              });
        });
    return text.toString();
  }
}
