package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Listing.Column;
import dev.colonnade.client.CallStatistics;
import dev.colonnade.client.TraceEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** What {@code trace on} sends with each call, and shows of its answer. */
final class Traces {

  /** Digits of a node's id in the table, which is enough to tell the nodes of a cluster apart. */
  private static final int ID_DIGITS = 8;

  private Traces() {}

  /** The W3C's header of a new trace, which nodes are to record. */
  static String sampled(Supplier<UUID> random) {
    HexFormat hex = HexFormat.of();
    UUID trace = random.get();
    // The upper half has the version's digit, so neither id is all zeros.
    return "00-"
        + hex.toHexDigits(trace.getMostSignificantBits())
        + hex.toHexDigits(trace.getLeastSignificantBits())
        + "-"
        + hex.toHexDigits(random.get().getMostSignificantBits())
        + "-01";
  }

  /** The events of one answer; the table has the beginnings of the ids of nodes. */
  static Listing table(CallStatistics cost) {
    CallStatistics.Trace trace = cost.trace();
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    lines.add(List.of("0.000", "", "trace", brief(cost.coordinator()), "", trace.id()));
    for (TraceEvent event : trace.events()) {
      lines.add(
          List.of(
              millis(event.at()),
              event.took().isZero() ? "" : millis(event.took()),
              event.step().toString(),
              brief(event.node()),
              brief(event.peer()),
              event.detail()));
      items.add(item(trace.id(), event));
    }
    if (trace.dropped() > 0) {
      lines.add(List.of("", "", "and " + trace.dropped() + " more events", "", "", ""));
    }
    return new Listing(
        "trace",
        "events",
        List.of(
            Column.numbers("At ms"),
            Column.numbers("Took ms"),
            Column.words("Event"),
            Column.words("Node"),
            Column.words("About"),
            Column.words("Detail")),
        lines,
        items,
        "");
  }

  private static Map<String, Object> item(String traceId, TraceEvent event) {
    Map<String, Object> item = new LinkedHashMap<>();
    item.put("trace_id", traceId);
    item.put("at_micros", micros(event.at()));
    item.put("took_micros", micros(event.took()));
    item.put("event", event.step().name().toLowerCase(Locale.ROOT));
    item.put("node", event.node());
    item.put("about", event.peer());
    item.put("detail", event.detail());
    return item;
  }

  private static String brief(String id) {
    return id.substring(0, Math.min(id.length(), ID_DIGITS));
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  private static String millis(Duration duration) {
    return String.format(Locale.ROOT, "%.3f", duration.toNanos() / 1e6);
  }
}
