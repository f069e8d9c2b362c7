package dev.colonnade.cli.admin;

import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.client.NodeSetting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Settings of running nodes, for people and for programs. */
final class SettingListing {

  private final List<List<String>> lines = new ArrayList<>();
  private final List<Map<String, Object>> items = new ArrayList<>();

  void add(String node, NodeSetting setting) {
    lines.add(List.of(node, setting.name(), setting.description(), origin(setting), when(setting)));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("node", node);
    fields.put("name", setting.name());
    fields.put("value", setting.value());
    fields.put("origin", setting.origin().name().toLowerCase(Locale.ROOT));
    fields.put("live", setting.isLive());
    fields.put("kept", setting.isKept());
    items.add(fields);
  }

  Listing listing() {
    return new Listing(
        "setting",
        "settings",
        List.of(
            Listing.Column.words("Node"),
            Listing.Column.words("Setting"),
            Listing.Column.words("Value"),
            Listing.Column.words("From"),
            Listing.Column.words("Changes")),
        lines,
        items,
        "No setting was changed.");
  }

  private static String origin(NodeSetting setting) {
    return switch (setting.origin()) {
      case RUNTIME -> setting.isKept() ? "changed, kept" : "changed, until the process ends";
      case UNKNOWN, DEFAULT, DERIVED, FILE, ENVIRONMENT, OPTION ->
          setting.origin().name().toLowerCase(Locale.ROOT);
    };
  }

  private static String when(NodeSetting setting) {
    return setting.isLive() ? "while the node runs" : "at a restart";
  }
}
