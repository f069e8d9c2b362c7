package dev.colonnade.cli.demo.basics;

import dev.colonnade.client.Column;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A postal address. Unknown parts are empty. */
public record Address(String street, String zip, String city, String state) {

  /** The columns of an address. */
  List<Column<String, String>> columns() {
    return List.of(
        Column.of("street", street),
        Column.of("zip", zip),
        Column.of("city", city),
        Column.of("state", state));
  }

  /** The address that columns hold, in any order. */
  static Address of(List<Column<String, String>> columns) {
    Map<String, String> parts = new HashMap<>();
    columns.forEach(column -> parts.put(column.name(), column.value()));
    return new Address(
        parts.getOrDefault("street", ""),
        parts.getOrDefault("zip", ""),
        parts.getOrDefault("city", ""),
        parts.getOrDefault("state", ""));
  }
}
