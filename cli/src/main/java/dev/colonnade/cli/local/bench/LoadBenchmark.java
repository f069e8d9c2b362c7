package dev.colonnade.cli.local.bench;

import dev.colonnade.client.Batch;
import dev.colonnade.client.BulkLoadOptions;
import dev.colonnade.client.BulkLoader;
import dev.colonnade.client.BulkWriter;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Writes the same rows in three ways, by turns, and measures the node's processor time. */
public final class LoadBenchmark {

  private static final String KEYSPACE = "BenchLoad";

  /** Inserts and batches without an answer. */
  private static final int IN_FLIGHT = 256;

  private static final int ROWS_PER_BATCH = 20;

  /** The server's own processor time is counted in hundredths of a second: a turn takes some. */
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * What is written.
   *
   * @param rounds turns of each way; the first warms up and is not counted
   */
  public record Plan(int rows, int columns, int valueBytes, int rounds) {
    private long bytes() {
      long column = "column0".length() + (long) valueBytes;
      return rows * (keyOf(0).length + columns * column);
    }
  }

  /** How rows are written. */
  public enum Way {
    /** Each column by a call of its own. */
    INSERT,
    /** Batches of rows on one stream. */
    STREAM_MUTATE,
    /** Sorted by the client, as bulk loads. */
    BULK_LOAD
  }

  /**
   * What a way cost.
   *
   * @param bytes of keys, names and values
   * @param seconds from the first call until the rows are in data files
   * @param cpuNanos of the node
   */
  public record Line(Way way, long bytes, double seconds, long cpuNanos) {

    /** Nanoseconds of the node's processors for a byte. */
    public double cpuNanosPerByte() {
      return cpuNanos / (double) bytes;
    }

    /** Megabytes that one processor takes in a second. */
    public double megabytesPerCore() {
      return bytes / 1e6 / (cpuNanos / NANOS_PER_SECOND);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s: %.1f MB in %.1f s, %.1f ns of processor time a byte",
          way,
          bytes / 1e6,
          seconds,
          cpuNanosPerByte());
    }
  }

  private final Plan plan;

  /** Measures this plan. */
  public LoadBenchmark(Plan plan) {
    this.plan = plan;
  }

  /**
   * Runs it; one line for each way, of all its turns but the first.
   *
   * @param address of the only node
   * @param pids its process
   * @param turn is told of each turn
   */
  public List<Line> measure(String address, List<Long> pids, Consumer<Line> turn)
      throws InterruptedException {
    try (Colonnade client = Colonnade.connect(List.of(address))) {
      Map<Way, Line> sums = new EnumMap<>(Way.class);
      for (int round = 0; round < plan.rounds(); round++) {
        for (Way way : Way.values()) {
          String family = way.name() + round;
          makeFamily(client, family);
          Duration cpu = CpuTime.of(pids);
          long begun = System.nanoTime();
          write(way, client, family);
          double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
          long cpuNanos = CpuTime.of(pids).minus(cpu).toNanos();
          Line line = new Line(way, plan.bytes(), seconds, cpuNanos);
          turn.accept(line);
          if (round > 0) {
            sums.merge(way, line, LoadBenchmark::sum);
          }
          client.schema().dropColumnFamily(KEYSPACE, family);
        }
      }
      return List.copyOf(sums.values());
    }
  }

  private static Line sum(Line a, Line b) {
    return new Line(
        a.way(), a.bytes() + b.bytes(), a.seconds() + b.seconds(), a.cpuNanos() + b.cpuNanos());
  }

  private static void makeFamily(Colonnade client, String family) {
    boolean unused = client.schema().createIfAbsent(KeyspaceDefinition.named(KEYSPACE));
    client.schema().create(KEYSPACE, ColumnFamilyDefinition.standard(family, Comparators.BYTES));
  }

  private void write(Way way, Colonnade client, String family) throws InterruptedException {
    switch (way) {
      case INSERT -> {
        insert(client, family);
        List<String> unused = client.node().flush(KEYSPACE, family);
      }
      case STREAM_MUTATE -> {
        stream(client, family);
        List<String> unused = client.node().flush(KEYSPACE, family);
      }
      case BULK_LOAD -> bulk(client, family);
    }
  }

  private static byte[] keyOf(int row) {
    return String.format(Locale.ROOT, "row%08d", row).getBytes(StandardCharsets.UTF_8);
  }

  private List<Column<byte[], byte[]>> columnsOf(Random random) {
    List<Column<byte[], byte[]>> made = new ArrayList<>();
    for (int i = 0; i < plan.columns(); i++) {
      byte[] value = new byte[plan.valueBytes()];
      byte[] half = new byte[plan.valueBytes() / 2];
      random.nextBytes(half);
      System.arraycopy(half, 0, value, 0, half.length);
      made.add(Column.of(("column" + i).getBytes(StandardCharsets.UTF_8), value));
    }
    return made;
  }

  private static ColumnFamily<byte[], byte[], byte[]> family(Colonnade client, String name) {
    return client
        .keyspace(KEYSPACE)
        .columnFamily(name, Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
  }

  private void insert(Colonnade client, String name) {
    ColumnFamily<byte[], byte[], byte[]> family = family(client, name);
    Random random = new Random(plan.rows());
    Deque<CompletableFuture<?>> underWay = new ArrayDeque<>();
    for (int row = 0; row < plan.rows(); row++) {
      for (Column<byte[], byte[]> column : columnsOf(random)) {
        underWay.add(family.async().insert(keyOf(row), column.name(), column.value()));
        if (underWay.size() >= IN_FLIGHT) {
          Object unused = underWay.remove().join();
        }
      }
    }
    underWay.forEach(CompletableFuture::join);
  }

  private void stream(Colonnade client, String name) {
    ColumnFamily<byte[], byte[], byte[]> family = family(client, name);
    Keyspace keyspace = client.keyspace(KEYSPACE);
    Random random = new Random(plan.rows());
    try (BulkWriter writer = keyspace.bulkWriter()) {
      Deque<CompletableFuture<?>> underWay = new ArrayDeque<>();
      for (int row = 0; row < plan.rows(); ) {
        Batch batch = keyspace.batch();
        for (int i = 0; i < ROWS_PER_BATCH && row < plan.rows(); i++, row++) {
          batch = batch.insertAll(family, keyOf(row), columnsOf(random));
        }
        underWay.add(writer.write(batch));
        if (underWay.size() >= IN_FLIGHT) {
          Object unused = underWay.remove().join();
        }
      }
      underWay.forEach(CompletableFuture::join);
    }
  }

  private void bulk(Colonnade client, String name) {
    Random random = new Random(plan.rows());
    try (BulkLoader loader = client.bulkLoader(KEYSPACE, name, BulkLoadOptions.defaults())) {
      for (int row = 0; row < plan.rows(); row++) {
        byte[] key = keyOf(row);
        columnsOf(random).forEach(column -> loader.add(key, column));
      }
      Object unused = loader.load();
    }
  }
}
