package dev.colonnade.it.conformance;

import com.google.gson.JsonObject;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The expiring values of a recording that met another value of the same column and timestamp which
 * does not expire, and is greater. The original kept the greater value, and here the one that
 * expires stands.
 */
final class ExpiringTies {

  private final Set<JsonObject> losers = Collections.newSetFromMap(new IdentityHashMap<>());

  private ExpiringTies() {}

  static ExpiringTies of(Trace trace) {
    ExpiringTies ties = new ExpiringTies();
    Map<String, JsonObject> expiring = new HashMap<>();
    Map<String, JsonObject> staying = new HashMap<>();
    for (JsonObject line : trace.lines()) {
      // After a truncation they do not meet, and the expired one hides the other there, too.
      if (Set.of("truncate", "sleep").contains(TraceRequests.text(line, "op"))) {
        expiring.clear();
        staying.clear();
      }
      forEachColumn(
          line,
          (place, column) -> {
            String version = place + " " + column.get("n") + " @" + column.get("ts");
            (column.has("ttl") ? expiring : staying).put(version, column);
            JsonObject dying = expiring.get(version);
            JsonObject other = staying.get(version);
            if (dying != null && other != null && isGreater(other, dying)) {
              ties.losers.add(dying);
            }
          });
    }
    return ties;
  }

  private static boolean isGreater(JsonObject a, JsonObject b) {
    return Arrays.compareUnsigned(value(a), value(b)) > 0;
  }

  private static byte[] value(JsonObject column) {
    return HexFormat.of().parseHex(column.get("v").getAsString());
  }

  /** Whether a request writes such a value. */
  boolean areIn(JsonObject line) {
    boolean[] found = {false};
    forEachColumn(line, (place, column) -> found[0] |= losers.contains(column));
    return found[0];
  }

  /** Takes their times to live off, so that they lose here as they did there. */
  void takeTimesToLiveOff(JsonObject line) {
    forEachColumn(
        line,
        (place, column) -> {
          if (losers.contains(column)) {
            column.remove("ttl");
          }
        });
  }

  private interface ColumnVisitor {
    void visit(String place, JsonObject column);
  }

  private static void forEachColumn(JsonObject line, ColumnVisitor visitor) {
    String keyspace = line.has("ks") ? TraceRequests.text(line, "ks") : "";
    if (line.has("col")) {
      String top = line.has("sc") ? TraceRequests.text(line, "sc") : "";
      visitor.visit(
          keyspace + " " + line.get("key") + " " + line.get("cf") + " " + top,
          line.getAsJsonObject("col"));
    } else if (line.has("mutations")) {
      line.getAsJsonObject("mutations")
          .asMap()
          .forEach(
              (key, families) ->
                  families
                      .getAsJsonObject()
                      .asMap()
                      .forEach(
                          (family, mutations) -> {
                            String row = keyspace + " \"" + key + "\" \"" + family + "\" ";
                            mutations
                                .getAsJsonArray()
                                .forEach(
                                    each -> forEachColumn(row, each.getAsJsonObject(), visitor));
                          }));
    }
  }

  private static void forEachColumn(String row, JsonObject mutation, ColumnVisitor visitor) {
    if (mutation.has("c")) {
      visitor.visit(row, mutation.getAsJsonObject("c"));
    } else if (mutation.has("sc")) {
      JsonObject superColumn = mutation.getAsJsonObject("sc");
      String top = superColumn.get("n").getAsString();
      superColumn
          .getAsJsonArray("cols")
          .forEach(column -> visitor.visit(row + top, column.getAsJsonObject()));
    }
  }
}
