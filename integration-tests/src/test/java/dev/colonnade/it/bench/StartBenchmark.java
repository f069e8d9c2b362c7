package dev.colonnade.it.bench;

import dev.colonnade.client.Batch;
import dev.colonnade.client.BulkWriter;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.it.Folders;
import dev.colonnade.it.LocalNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that measures how long a node with data takes to start. */
@Command(
    name = "start",
    mixinStandardHelpOptions = true,
    description = {
      "Measures how long a node takes from the start of its process until it serves: with its rows in"
          + " data files, after an orderly stop, and with updates in its log, after kill -9. Takes two"
          + " minutes.",
      "Ends with 0 when the medians are within the limits, 1 when not."
    })
final class StartBenchmark implements Callable<Integer> {

  private static final int COLUMNS = 10;
  private static final int VALUE_BYTES = 100;
  private static final int ROWS_OF_BATCH = 20;

  /** Updates of few rows leave memtables so small that all of them stay in the log. */
  private static final int UPDATED_ROWS = 100_000;

  private static final Duration AFTER_STOP_LIMIT = Duration.ofSeconds(3);
  private static final Duration AFTER_KILL_LIMIT = Duration.ofSeconds(6);

  @Option(
      names = "--rows",
      defaultValue = "1000000",
      description = "Rows of ten columns of 100 bytes (default ${DEFAULT-VALUE}).")
  private int rows;

  @Option(
      names = "--updates",
      defaultValue = "1000000",
      description = "Updates of a column in the log (default ${DEFAULT-VALUE}).")
  private int updates;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Starts of each kind (default ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--heap",
      defaultValue = "1g",
      description = "Heap of the node (default ${DEFAULT-VALUE}).")
  private String heap = "1g";

  private final Random random = new Random(1);

  @Override
  public Integer call() throws IOException {
    Path folder = Files.createTempDirectory("colonnade-start-bench");
    LocalNode.Settings settings =
        LocalNode.Settings.in(folder.resolve("data"))
            .withJvmArguments("-Xms" + heap, "-Xmx" + heap);
    LocalNode node = LocalNode.process(settings);
    try {
      long refused = load(node);
      long[] afterStop = new long[rounds];
      for (int i = 0; i < rounds; i++) {
        node.stop();
        long begin = System.nanoTime();
        node = node.again();
        afterStop[i] = System.nanoTime() - begin;
      }
      refused += update(node);
      long[] afterKill = new long[rounds];
      for (int i = 0; i < rounds; i++) {
        node.kill();
        long begin = System.nanoTime();
        node = node.again();
        afterKill[i] = System.nanoTime() - begin;
      }
      boolean stopHolds = print("after a stop, " + rows + " rows", afterStop, AFTER_STOP_LIMIT);
      boolean killHolds =
          print("after kill -9, " + updates + " updates", afterKill, AFTER_KILL_LIMIT);
      System.out.println(refused + " batches of the load failed");
      return stopHolds && killHolds && refused == 0 ? 0 : 1;
    } finally {
      node.kill();
      Folders.delete(folder);
    }
  }

  private static boolean print(String what, long[] nanos, Duration limit) {
    Arrays.sort(nanos);
    long median = nanos[nanos.length / 2];
    System.out.printf(
        Locale.ROOT,
        "%-34s %5.2f s (%.2f to %.2f), limit %d s%n",
        what,
        seconds(median),
        seconds(nanos[0]),
        seconds(nanos[nanos.length - 1]),
        limit.toSeconds());
    return median <= limit.toNanos();
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }

  private long load(LocalNode node) {
    System.err.println("Loading " + rows + " rows ...");
    try (Colonnade client = connect(node)) {
      client
          .schema()
          .create(
              KeyspaceDefinition.named("Bench")
                  .with(ColumnFamilyDefinition.standard("Rows", Comparators.UTF8)));
      Keyspace keyspace = client.keyspace("Bench");
      ColumnFamily<String, String, byte[]> family = family(keyspace);
      BulkWriter writer = keyspace.bulkWriter();
      try (writer) {
        for (int row = 0; row < rows; row += ROWS_OF_BATCH) {
          Batch batch = keyspace.batch();
          for (int i = row; i < Math.min(rows, row + ROWS_OF_BATCH); i++) {
            for (int column = 0; column < COLUMNS; column++) {
              batch.insert(family, "user" + i, "field" + column, value());
            }
          }
          var unused = writer.write(batch);
        }
      }
      return writer.failed();
    }
  }

  private long update(LocalNode node) {
    System.err.println("Making " + updates + " updates ...");
    try (Colonnade client = connect(node)) {
      Keyspace keyspace = client.keyspace("Bench");
      ColumnFamily<String, String, byte[]> family = family(keyspace);
      BulkWriter writer = keyspace.bulkWriter();
      try (writer) {
        for (int i = 0; i < updates; i++) {
          String row = "user" + random.nextInt(Math.min(rows, UPDATED_ROWS));
          var unused = writer.insert(family, row, "field" + random.nextInt(COLUMNS), value());
        }
      }
      return writer.failed();
    }
  }

  private static Colonnade connect(LocalNode node) {
    return Colonnade.connect(node.address() + ":" + node.ports().client());
  }

  private static ColumnFamily<String, String, byte[]> family(Keyspace keyspace) {
    return keyspace.columnFamily("Rows", Serializers.UTF8, Serializers.UTF8, Serializers.BYTES);
  }

  private byte[] value() {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    return value;
  }
}
