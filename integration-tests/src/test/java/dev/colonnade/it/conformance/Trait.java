package dev.colonnade.it.conformance;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The traits of recorded requests that {@code differences.json} names. */
enum Trait {
  RANGE_DELETION,
  INDEXED_FAMILY,
  PREDICATE_WITH_BOTH,
  MUTATION_WITH_BOTH,
  HALF_OR_MIXED_KEY_RANGE,
  SEVERAL_ROW_DELETIONS,
  EXPIRING_TIE,
  RANGE_SCAN,
  RANGE_SCAN_AT_ANY,
  TRUNCATE;

  /**
   * The traits of one line.
   *
   * @param indexedFamilies families of the recording's schema that have value validators or indexes
   * @param ties of the recording
   */
  static Set<Trait> of(JsonObject line, Set<String> indexedFamilies, ExpiringTies ties) {
    EnumSet<Trait> traits = EnumSet.noneOf(Trait.class);
    if (ties.areIn(line)) {
      traits.add(EXPIRING_TIE);
    }
    String op = line.get("op").getAsString();
    if (line.has("cf") && indexedFamilies.contains(line.get("cf").getAsString())) {
      traits.add(INDEXED_FAMILY);
    }
    if (line.has("pred") && isBoth(line.getAsJsonObject("pred"))) {
      traits.add(PREDICATE_WITH_BOTH);
    }
    switch (op) {
      case "batch_mutate" -> addBatchTraits(line, indexedFamilies, traits);
      case "get_range_slices" -> addRangeTraits(line, traits);
      case "truncate" -> traits.add(TRUNCATE);
      default -> {}
    }
    return traits;
  }

  /** Whether this mutation deletes its whole row. */
  static boolean isRowDeletion(JsonObject mutation) {
    return mutation.size() == 1
        && mutation.has("del")
        && mutation.getAsJsonObject("del").keySet().equals(Set.of("ts"));
  }

  private static void addRangeTraits(JsonObject line, Set<Trait> traits) {
    traits.add(RANGE_SCAN);
    if (line.get("cl").getAsString().equals("ANY")) {
      traits.add(RANGE_SCAN_AT_ANY);
    }
    List<String> ends = new ArrayList<>(line.getAsJsonObject("range").keySet());
    ends.remove("count");
    boolean keys = ends.contains("start_key") && ends.contains("end_key");
    boolean tokens = ends.contains("start_token") && ends.contains("end_token");
    if (!ends.isEmpty() && (ends.size() != 2 || !(keys || tokens))) {
      traits.add(HALF_OR_MIXED_KEY_RANGE);
    }
  }

  private static void addBatchTraits(
      JsonObject line, Set<String> indexedFamilies, Set<Trait> traits) {
    for (JsonElement families : line.getAsJsonObject("mutations").asMap().values()) {
      families
          .getAsJsonObject()
          .asMap()
          .forEach(
              (family, mutations) -> {
                if (indexedFamilies.contains(family)) {
                  traits.add(INDEXED_FAMILY);
                }
                addMutationTraits(mutations, traits);
              });
    }
  }

  private static void addMutationTraits(JsonElement mutations, Set<Trait> traits) {
    int rowDeletions = 0;
    for (JsonElement element : mutations.getAsJsonArray()) {
      JsonObject mutation = element.getAsJsonObject();
      if (mutation.size() > 1) {
        traits.add(MUTATION_WITH_BOTH);
      }
      if (isRowDeletion(mutation)) {
        rowDeletions++;
      }
      if (mutation.has("del") && mutation.getAsJsonObject("del").has("pred")) {
        JsonObject predicate = mutation.getAsJsonObject("del").getAsJsonObject("pred");
        if (isBoth(predicate)) {
          traits.add(PREDICATE_WITH_BOTH);
        } else if (predicate.has("range")) {
          traits.add(RANGE_DELETION);
        }
      }
    }
    if (rowDeletions > 1) {
      traits.add(SEVERAL_ROW_DELETIONS);
    }
  }

  private static boolean isBoth(JsonObject predicate) {
    return predicate.has("names") && predicate.has("range");
  }
}
