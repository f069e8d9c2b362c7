package dev.colonnade.it.bench.search;

import com.google.gson.JsonObject;
import dev.colonnade.cli.local.bench.Measurement;
import java.time.Duration;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** What was measured of one store. */
final class SearchFigures {

  private static final double NANOS_PER_MICRO = 1_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private SearchFigures() {}

  /**
   * How documents were indexed.
   *
   * @param wall until the last one was acknowledged; of Lucene also until it was committed
   * @param nodes processor time of all nodes, until files were written and merged
   * @param client processor time of this process, in which Lucene runs
   */
  record Documents(
      String store, int count, Duration wall, Duration nodes, Duration client, long bytesOnDisk) {

    static String header() {
      return String.format(
          Locale.ROOT,
          "%n%-14s %-10s %11s %12s %14s %11s%n",
          "",
          "store",
          "documents/s",
          "node CPU us",
          "client CPU us",
          "bytes each");
    }

    private double perSecond() {
      return count * NANOS_PER_SECOND / Math.max(1, wall.toNanos());
    }

    String row() {
      return String.format(
          Locale.ROOT,
          "%-14s %-10s %11.0f %12.1f %14.1f %11.0f%n",
          "indexing",
          store,
          perSecond(),
          micros(nodes, count),
          micros(client, count),
          bytesOnDisk / (double) count);
    }

    JsonObject json() {
      JsonObject json = new JsonObject();
      json.addProperty("store", store);
      json.addProperty("documents", count);
      json.addProperty("documentsPerSecond", perSecond());
      json.addProperty("nodeCpuMicrosPerDocument", micros(nodes, count));
      json.addProperty("clientCpuMicrosPerDocument", micros(client, count));
      json.addProperty("bytesOnDisk", bytesOnDisk);
      return line("bench_documents", json);
    }
  }

  /**
   * How a kind of query was answered.
   *
   * @param nodes processor time of all nodes
   * @param client processor time of this process, in which Lucene runs
   * @param hits of all calls
   */
  record Queries(
      QueryKind kind,
      String store,
      Histogram latencies,
      Duration wall,
      Duration nodes,
      Duration client,
      long hits) {

    static String header() {
      return String.format(
          Locale.ROOT,
          "%n%-14s %-10s %11s %12s %14s %8s %8s %8s%n",
          "query",
          "store",
          "calls/s",
          "node CPU us",
          "client CPU us",
          "p50 ms",
          "p99 ms",
          "hits");
    }

    private Measurement measured() {
      Measurement measured = new Measurement();
      measured.add(latencies, wall, nodes);
      return measured;
    }

    String row() {
      Measurement measured = measured();
      return String.format(
          Locale.ROOT,
          "%-14s %-10s %11.0f %12.1f %14.1f %8.2f %8.2f %8.1f%n",
          kind.title(),
          store,
          measured.callsPerSecond(),
          measured.cpuMicrosPerCall(),
          micros(client, measured.calls()),
          measured.millisAt(Measurement.MEDIAN),
          measured.millisAt(Measurement.TAIL),
          hits / (double) Math.max(1, measured.calls()));
    }

    JsonObject json() {
      Measurement measured = measured();
      JsonObject json = new JsonObject();
      json.addProperty("query", kind.title());
      json.addProperty("store", store);
      measured.figures().forEach((name, value) -> json.addProperty(name, (Number) value));
      json.addProperty("clientCpuMicrosPerCall", micros(client, measured.calls()));
      json.addProperty("hitsPerCall", hits / (double) Math.max(1, measured.calls()));
      return line("bench_query", json);
    }
  }

  private static double micros(Duration time, long calls) {
    return time.toNanos() / NANOS_PER_MICRO / Math.max(1, calls);
  }

  private static JsonObject line(String kind, JsonObject content) {
    JsonObject line = new JsonObject();
    line.add(kind, content);
    return line;
  }
}
