package dev.colonnade.cli.shell.output;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * One JSON object per line, each with one field that says what it is. {@code docs/shell.md} has the
 * whole schema.
 */
public final class JsonOutput implements Output {

  private final Printer printer;

  /** An output on a printer. */
  public JsonOutput(Printer printer) {
    this.printer = printer;
  }

  @Override
  public void column(AnswerScope place, String key, ShownEntry.Column column) {
    Map<String, Object> fields = fields(place, key);
    fields.putAll(fields(column));
    line("column", fields);
  }

  @Override
  public void row(AnswerScope place, ShownRow row) {
    // Piece by piece: no more than an entry of a row is in memory.
    Json json = new Json(printer::print).open("{").name("row").open("{");
    fields(place, row.key()).forEach((name, value) -> json.name(name).value(value));
    json.name(row.superFamily() ? "super_columns" : "columns").open("[");
    boolean whole = false;
    try {
      while (row.entries().hasNext()) {
        json.value(fields(row.entries().next()));
      }
      whole = true;
    } finally {
      json.close("]");
      if (!whole) {
        json.name("incomplete").value(true);
      } else if (row.more().getAsBoolean()) {
        json.name("more").value(true);
      }
      json.close("}").close("}");
      end();
    }
  }

  @Override
  public void rows(AnswerScope place, ShownRows rows) {
    long count = 0;
    while (rows.rows().hasNext()) {
      row(place, rows.rows().next());
      count++;
    }
    returned("rows", count, rows.more().getAsBoolean());
  }

  @Override
  public void keys(AnswerScope place, Iterator<String> keys, BooleanSupplier more) {
    long count = 0;
    while (keys.hasNext()) {
      line("key", fields(place, keys.next()));
      count++;
    }
    returned("keys", count, more.getAsBoolean());
  }

  @Override
  public void count(AnswerScope place, String key, long count) {
    Map<String, Object> fields = fields(place, key);
    fields.put("count", count);
    line("count", fields);
  }

  @Override
  public void notFound() {
    line("not_found", true);
  }

  @Override
  public void done(String message) {
    value("done", message);
  }

  @Override
  public void note(String message) {
    // What a remark says is in the fields of the answer.
  }

  @Override
  public void value(String name, String value) {
    line(name, value);
  }

  @Override
  public void facts(Facts facts) {
    line(facts.kind(), fields(facts));
  }

  @Override
  public void listing(Listing listing) {
    for (Map<String, Object> item : listing.items()) {
      line(listing.kind(), item);
    }
    returned(listing.plural(), listing.items().size(), false);
  }

  @Override
  public void text(String name, String text) {
    value(name, text);
  }

  @Override
  public void progress(String phase, long doneBytes, long totalBytes, String detail) {
    progress("bytes", phase, doneBytes, totalBytes, detail);
  }

  @Override
  public void steps(String phase, long done, long total, String detail) {
    progress("steps", phase, done, total, detail);
  }

  private void progress(String unit, String phase, long done, long total, String detail) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("phase", phase);
    fields.put("done", done);
    fields.put("total", total);
    fields.put("unit", unit);
    fields.put("detail", detail);
    line("progress", fields);
  }

  @Override
  public void cost(Cost cost) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("answers", cost.answers());
    fields.put("coordinators", List.copyOf(cost.coordinators()));
    fields.put("replicas", List.copyOf(cost.replicas()));
    fields.put("replicas_answered", List.copyOf(cost.replicasAnswered()));
    fields.put("sstables_read", cost.sstablesRead());
    fields.put("bloom_rejections", cost.bloomRejections());
    fields.put("blocks_read", cost.blocksRead());
    fields.put("block_cache_hits", cost.blockCacheHits());
    fields.put("tombstones_scanned", cost.tombstonesScanned());
    fields.put("server_micros", cost.serverMicros());
    line("cost", fields);
  }

  @Override
  public void elapsed(Duration elapsed) {
    new Json(printer::print)
        .open("{")
        .name("elapsed_ms")
        .raw(String.format(Locale.ROOT, "%.3f", elapsed.toNanos() / 1e6))
        .close("}");
    end();
  }

  @Override
  public void failed(Problem problem) {
    Map<String, Object> fields = new LinkedHashMap<>();
    if (!problem.where().isEmpty()) {
      fields.put("where", problem.where());
    }
    fields.put("message", problem.message());
    fields.put("reason", problem.reason());
    fields.put("status", problem.status());
    StringBuilder line = new StringBuilder();
    new Json(line::append).value(Map.of("error", fields));
    printer.complain(line.toString());
  }

  @Override
  public void echo(String statement) {
    value("statement", statement);
  }

  @Override
  public void complete(String plural, int count) {
    returned(plural, count, false);
  }

  private void returned(String what, long count, boolean more) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(what, count);
    if (more) {
      fields.put("more", true);
    }
    line("returned", fields);
  }

  /** A line with one field, which says what it is. */
  private void line(String kind, Object value) {
    new Json(printer::print).open("{").name(kind).value(value).close("}");
    end();
  }

  private void end() {
    printer.line("");
    printer.flush();
  }

  private static Map<String, Object> fields(AnswerScope place, String key) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("keyspace", place.keyspace());
    fields.put("family", place.family());
    place.superColumn().ifPresent(name -> fields.put("super_column", name));
    fields.put("key", key);
    return fields;
  }

  private static Map<String, Object> fields(ShownEntry entry) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", entry.name());
    if (entry instanceof ShownEntry.Super whole) {
      fields.put("columns", whole.columns().stream().map(JsonOutput::fields).toList());
    } else if (entry instanceof ShownEntry.Column column) {
      fields.put("value", column.value());
      fields.put("timestamp", column.timestampMicros());
      column.ttlSeconds().ifPresent(ttl -> fields.put("ttl", Math.toIntExact(ttl)));
    }
    return fields;
  }

  private static Map<String, Object> fields(Facts facts) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", facts.name());
    facts.facts().forEach(fact -> fields.put(fact.name(), fact.value()));
    for (Facts.Group group : facts.parts()) {
      fields.put(group.name(), group.parts().stream().map(JsonOutput::fields).toList());
    }
    return fields;
  }
}
