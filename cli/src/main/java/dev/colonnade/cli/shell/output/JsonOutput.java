package dev.colonnade.cli.shell.output;

import java.time.Duration;
import java.util.Iterator;
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
    Json json = begin("column", place).name("key").text(key);
    fields(json, column);
    json.close("}").close("}").end();
  }

  @Override
  public void row(AnswerScope place, ShownRow row) {
    Json json = begin("row", place).name("key").text(row.key());
    json.name(row.superFamily() ? "super_columns" : "columns").open("[");
    boolean whole = false;
    try {
      while (row.entries().hasNext()) {
        entry(json, row.entries().next());
      }
      whole = true;
    } finally {
      json.close("]");
      if (!whole) {
        json.name("incomplete").raw("true");
      } else if (row.more().getAsBoolean()) {
        json.name("more").raw("true");
      }
      json.close("}").close("}").end();
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
      begin("key", place).name("key").text(keys.next()).close("}").close("}").end();
      count++;
    }
    returned("keys", count, more.getAsBoolean());
  }

  @Override
  public void count(AnswerScope place, String key, long count) {
    begin("count", place)
        .name("key")
        .text(key)
        .name("count")
        .number64(count)
        .close("}")
        .close("}")
        .end();
  }

  @Override
  public void notFound() {
    new Json(printer).open("{").name("not_found").raw("true").close("}").end();
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
    new Json(printer).open("{").name(name).text(value).close("}").end();
  }

  @Override
  public void facts(Facts facts) {
    Json json = new Json(printer).open("{").name(facts.kind());
    object(json, facts);
    json.close("}").end();
  }

  @Override
  public void listing(Listing listing) {
    for (Map<String, Object> item : listing.items()) {
      new Json(printer).open("{").name(listing.kind()).value(item).close("}").end();
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
    Json json = new Json(printer).open("{").name("progress").open("{").name("phase").text(phase);
    json.name("done").number64(done).name("total").number64(total).name("unit").text(unit);
    json.name("detail").text(detail).close("}").close("}").end();
  }

  @Override
  public void cost(Cost cost) {
    Json json = new Json(printer).open("{").name("cost").open("{");
    json.name("answers").raw(Integer.toString(cost.answers())).name("coordinators").open("[");
    cost.coordinators().forEach(json::text);
    json.close("]").name("replicas").open("[");
    cost.replicas().forEach(json::text);
    json.close("]").name("replicas_answered").open("[");
    cost.replicasAnswered().forEach(json::text);
    json.close("]");
    json.name("sstables_read").number64(cost.sstablesRead());
    json.name("bloom_rejections").number64(cost.bloomRejections());
    json.name("blocks_read").number64(cost.blocksRead());
    json.name("block_cache_hits").number64(cost.blockCacheHits());
    json.name("tombstones_scanned").number64(cost.tombstonesScanned());
    json.name("server_micros").number64(cost.serverMicros());
    json.close("}").close("}").end();
  }

  @Override
  public void elapsed(Duration elapsed) {
    new Json(printer)
        .open("{")
        .name("elapsed_ms")
        .raw(String.format(Locale.ROOT, "%.3f", elapsed.toNanos() / 1e6))
        .close("}")
        .end();
  }

  @Override
  public void failed(Problem problem) {
    StringBuilder line = new StringBuilder("{\"error\":{");
    if (!problem.where().isEmpty()) {
      line.append("\"where\":").append(Json.quoted(problem.where())).append(',');
    }
    line.append("\"message\":").append(Json.quoted(problem.message()));
    line.append(",\"reason\":").append(Json.quoted(problem.reason()));
    line.append(",\"status\":").append(problem.status()).append("}}");
    printer.complain(line.toString());
  }

  @Override
  public void echo(String statement) {
    value("statement", statement);
  }

  private Json begin(String kind, AnswerScope place) {
    Json json = new Json(printer).open("{").name(kind).open("{");
    json.name("keyspace").text(place.keyspace()).name("family").text(place.family());
    place.superColumn().ifPresent(name -> json.name("super_column").text(name));
    return json;
  }

  @Override
  public void complete(String plural, int count) {
    returned(plural, count, false);
  }

  private void returned(String what, long count, boolean more) {
    Json json = new Json(printer).open("{").name("returned").open("{").name(what).number64(count);
    if (more) {
      json.name("more").raw("true");
    }
    json.close("}").close("}").end();
  }

  private static void entry(Json json, ShownEntry entry) {
    json.open("{");
    if (entry instanceof ShownEntry.Super whole) {
      json.name("name").text(whole.name()).name("columns").open("[");
      for (ShownEntry.Column column : whole.columns()) {
        json.open("{");
        fields(json, column);
        json.close("}");
      }
      json.close("]");
    } else if (entry instanceof ShownEntry.Column column) {
      fields(json, column);
    }
    json.close("}");
  }

  private static void fields(Json json, ShownEntry.Column column) {
    json.name("name").text(column.name()).name("value").text(column.value());
    json.name("timestamp").number64(column.timestampMicros());
    if (column.ttlSeconds().isPresent()) {
      json.name("ttl").raw(Long.toString(column.ttlSeconds().getAsLong()));
    }
  }

  private static void object(Json json, Facts facts) {
    json.open("{").name("name").text(facts.name());
    facts.facts().forEach(fact -> json.name(fact.name()).text(fact.value()));
    for (Facts.Group group : facts.parts()) {
      json.name(group.name()).open("[");
      group.parts().forEach(part -> object(json, part));
      json.close("]");
    }
    json.close("}");
  }
}
