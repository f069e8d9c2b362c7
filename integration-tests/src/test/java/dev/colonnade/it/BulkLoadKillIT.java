package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Row;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.server.base.config.BulkLoadSettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code bulkload} is killed in the middle, and run again. */
@Timeout(120)
final class BulkLoadKillIT {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long SEED = 20_261_127L;
  private static final int ROWS = 400;
  private static final int COLUMNS = 8;
  private static final int VALUE_BYTES = 500;

  /** Of columns whose record has a timestamp. */
  private static final long TIMESTAMP = 7;

  @TempDir private Path folder;

  /** A record for each column, in any order; every other one has a timestamp. */
  private Path records(Map<String, Map<String, String>> expected) throws IOException {
    Random random = new Random(SEED);
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      for (int column = 0; column < COLUMNS; column++) {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        String text = HexFormat.of().formatHex(value);
        String key = "row" + row;
        String name = "c" + column;
        expected.computeIfAbsent(key, none -> new TreeMap<>()).put(name, text);
        lines.add(key + "," + name + "," + text + "," + (column % 2 == 0 ? TIMESTAMP : ""));
      }
    }
    Collections.shuffle(lines, random);
    return Files.writeString(
        folder.resolve("users.csv"), "key,column,value,timestamp\n" + String.join("\n", lines));
  }

  private Process load(Node node, Path records) throws IOException {
    List<String> command =
        ChildJvm.colonnade(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(
        List.of(
            "bulkload",
            "--host",
            node.clientAddress(),
            "--port",
            Integer.toString(node.clientPort()),
            "--temp",
            folder.resolve("temp").toString(),
            "--memory",
            "1",
            "--part",
            "1",
            "--parallel",
            "1",
            "Blog.Users",
            records.toString()));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("load.out").toFile())
        .start();
  }

  @Test
  void theSameCommandGoesOnAfterAKill() throws Exception {
    Map<String, Map<String, String>> expected = new TreeMap<>();
    Path records = records(expected);
    Path state = folder.resolve("users.csv.load");
    File data = folder.resolve("data").toFile();
    File temporary = Files.createDirectories(folder.resolve("temp")).toFile();
    try (Node node =
            Node.start(
                NodeOptions.defaults()
                    .withDataDirectory(data.toPath())
                    .withFreePorts()
                    .with(BulkLoadSettings.BYTES_PER_SECOND, 1_000_000L));
        Colonnade client = Colonnade.connect(node.clientAddress() + ":" + node.clientPort())) {
      client
          .schema()
          .create(
              KeyspaceDefinition.named("Blog")
                  .with(ColumnFamilyDefinition.standard("Users", Comparators.UTF8)));
      Process killed = load(node, records);
      // One part is taken, and the next one under way.
      Await.until(
          () -> lines(state).size() >= 2 && !files(data, ".tmp").isEmpty(),
          LIMIT,
          () -> "no part is taken: " + lines(folder.resolve("load.out")));
      killed.destroyForcibly();
      assertTrue(ChildJvm.exited(killed, LIMIT));
      Await.until(
          () -> files(data, ".tmp").isEmpty(),
          LIMIT,
          () -> "the broken load is left: " + files(data, ".tmp"));
      int taken = rows(client).size();
      assertTrue(taken > 0 && taken < ROWS, taken + " rows are there");
      String timestamp = lines(state).get(0).split("\t", -1)[2];
      assertFalse(files(temporary, "").isEmpty(), "nothing was killed");

      Process again = load(node, records);
      assertTrue(ChildJvm.exited(again, LIMIT), () -> "" + lines(folder.resolve("load.out")));
      assertEquals(0, again.exitValue(), () -> "" + lines(folder.resolve("load.out")));

      requireAll(expected, Long.parseLong(timestamp), rows(client));
      assertFalse(Files.exists(state), "nothing is left to do");
      assertEquals(List.of(), files(temporary, ""));
      // The node may have begun to merge what was loaded.
      Await.until(
          () -> files(data, ".tmp").isEmpty(),
          LIMIT,
          () -> "files are not complete: " + files(data, ".tmp"));
      client.node().compact("Blog", List.of(), progress -> {});
      requireAll(expected, Long.parseLong(timestamp), rows(client));
    }
  }

  private static List<Row<String, Column<String, String>>> rows(Colonnade client) {
    List<Row<String, Column<String, String>>> rows = new ArrayList<>();
    try (Cursor<Row<String, Column<String, String>>> all =
        client
            .keyspace("Blog")
            .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8)
            .range(KeyRange.all(), Slice.all())) {
      all.forEachRemaining(rows::add);
    }
    return rows;
  }

  private static void requireAll(
      Map<String, Map<String, String>> expected,
      long timestamp,
      List<Row<String, Column<String, String>>> found) {
    assertEquals(ROWS, found.size(), "each row is there once");
    for (Row<String, Column<String, String>> row : found) {
      assertEquals(COLUMNS, row.entries().size(), row.key());
      assertEquals(expected.get(row.key()), Column.asMap(row.entries()), row.key());
      for (Column<String, String> column : row.entries()) {
        boolean named = (column.name().charAt(1) - '0') % 2 == 0;
        assertEquals(named ? TIMESTAMP : timestamp, column.timestampMicros().orElseThrow());
      }
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Files below a directory; they may be deleted meanwhile. */
  private static List<String> files(File directory, String ending) {
    List<String> found = new ArrayList<>();
    File[] entries = directory.listFiles();
    for (File entry : entries == null ? new File[0] : entries) {
      if (entry.isDirectory()) {
        found.addAll(files(entry, ending));
      } else if (entry.getName().endsWith(ending)) {
        found.add(entry.getPath());
      }
    }
    return found;
  }
}
