package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.value.ValueType;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What {@code assume} said, for as long as the session lasts. */
final class Assumptions {

  /** The part of a family for which a type is assumed. */
  enum Part {
    /** Keys of rows. */
    KEYS,
    /** Names directly under a row. */
    COMPARATOR,
    /** Names of columns within super columns. */
    SUB_COMPARATOR,
    /** Values of columns. */
    VALIDATOR;

    static Optional<Part> of(String attribute) {
      return switch (attribute) {
        case "keys" -> Optional.of(KEYS);
        case "comparator" -> Optional.of(COMPARATOR);
        case "sub_comparator", "subcomparator" -> Optional.of(SUB_COMPARATOR);
        case "validator" -> Optional.of(VALIDATOR);
        default -> Optional.empty();
      };
    }
  }

  private record Id(String keyspace, String family, Part part) {}

  private final Map<Id, ValueType> types = new HashMap<>();
  private final Map<Part, ValueType> ofAll = new EnumMap<>(Part.class);

  void assume(String keyspace, String family, Part part, ValueType type) {
    types.put(new Id(keyspace, family, part), type);
  }

  /** For families without an assumption of their own. */
  void assumeOfAll(Part part, ValueType type) {
    ofAll.put(part, type);
  }

  /**
   * What was assumed of a part of a family, if anything.
   *
   * @param declared whether the family declares another type for it than bytes
   */
  Optional<ValueType> type(String keyspace, String family, Part part, boolean declared) {
    return Optional.ofNullable(types.get(new Id(keyspace, family, part)))
        .or(() -> declared ? Optional.empty() : Optional.ofNullable(ofAll.get(part)));
  }

  void clear() {
    types.clear();
    ofAll.clear();
  }
}
