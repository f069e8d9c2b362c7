package dev.colonnade.it.scenario;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;

/** A step of the scenario, or a change in one of its batches. */
record Step(JsonObject json) {

  private static final Set<String> READS =
      Set.of(
          "get",
          "slice",
          "count",
          "multiget",
          "pages",
          "stream",
          "rows",
          "health",
          "reflection",
          "drain",
          "remove_node",
          "signal");

  boolean has(String name) {
    return json.has(name);
  }

  String text(String name) {
    return has(name) ? json.get(name).getAsString() : "";
  }

  String text(String name, String otherwise) {
    return has(name) ? text(name) : otherwise;
  }

  ByteString bytes(String name) {
    return ScenarioData.bytes(text(name));
  }

  long number(String name, long otherwise) {
    return has(name) ? json.get(name).getAsLong() : otherwise;
  }

  boolean flag(String name) {
    return has(name) && json.get(name).getAsBoolean();
  }

  List<JsonElement> list(String name) {
    return has(name)
        ? StreamSupport.stream(json.getAsJsonArray(name).spliterator(), false).toList()
        : List.of();
  }

  List<Step> steps(String name) {
    return list(name).stream().map(each -> new Step(each.getAsJsonObject())).toList();
  }

  List<ByteString> names(String name) {
    return list(name).stream().map(each -> ScenarioData.bytes(each.getAsString())).toList();
  }

  boolean isWrite() {
    return !READS.contains(text("op"));
  }

  String keyspace() {
    return text("keyspace", "Scenario");
  }
}
