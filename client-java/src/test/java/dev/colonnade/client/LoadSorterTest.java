package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Columns come out in their order, each once, however many files they were spilled to. */
final class LoadSorterTest {

  private static final long SEED = 20_261_127L;
  private static final Comparator<LoadEntry> BY_PLACE =
      Comparator.comparing(entry -> new String(entry.top(), StandardCharsets.UTF_8));

  @TempDir private Path directory;

  private static LoadEntry entry(String name, long timestamp, int ttl, byte[] value) {
    return new LoadEntry(
        new byte[] {1},
        new byte[] {2},
        name.getBytes(StandardCharsets.UTF_8),
        null,
        value,
        timestamp,
        ttl);
  }

  private List<LoadEntry> sorted(List<LoadEntry> entries, long memoryBytes) throws IOException {
    LoadSorter sorter = new LoadSorter(directory, memoryBytes, BY_PLACE);
    for (LoadEntry entry : entries) {
      sorter.add(entry);
    }
    List<LoadEntry> sorted = new ArrayList<>();
    sorter.drain(sorted::add);
    return sorted;
  }

  private static String text(LoadEntry entry) {
    return new String(entry.top(), StandardCharsets.UTF_8)
        + " "
        + entry.timestampMicros()
        + " "
        + entry.ttlSeconds()
        + " "
        + ByteBuffer.wrap(entry.value()).getInt()
        + " of "
        + entry.value().length;
  }

  /** Also where only the values of versions differ, which lie in different files. */
  @Test
  void ofSeveralVersionsTheOneThatNodesWouldKeepComesOut() throws IOException {
    Random random = new Random(SEED);
    List<LoadEntry> entries = new ArrayList<>();
    TreeMap<String, LoadEntry> best = new TreeMap<>();
    Comparator<LoadEntry> worstFirst =
        Comparator.comparingLong(LoadEntry::timestampMicros)
            .thenComparingInt(LoadEntry::ttlSeconds)
            .thenComparing(entry -> ByteBuffer.wrap(entry.value()).getInt());
    for (int i = 0; i < 5_000; i++) {
      byte[] value = ByteBuffer.allocate(4 + random.nextInt(200)).putInt(random.nextInt(9)).array();
      LoadEntry entry =
          entry("c" + random.nextInt(300), random.nextInt(3), random.nextInt(2), value);
      entries.add(entry);
      best.merge(
          new String(entry.top(), StandardCharsets.UTF_8),
          entry,
          (one, other) -> worstFirst.compare(one, other) > 0 ? one : other);
    }
    for (long memoryBytes : new long[] {1, 3_000, 100_000, 1 << 30}) {
      List<LoadEntry> sorted = sorted(entries, memoryBytes);
      assertEquals(best.size(), sorted.size());
      for (LoadEntry entry : sorted) {
        LoadEntry expected = best.get(new String(entry.top(), StandardCharsets.UTF_8));
        assertTrue(
            expected != null && worstFirst.compare(expected, entry) == 0,
            () -> text(entry) + " came with " + memoryBytes + " bytes of memory");
      }
      List<LoadEntry> again = new ArrayList<>(sorted);
      again.sort(BY_PLACE);
      assertEquals(
          again.stream().map(LoadSorterTest::text).toList(),
          sorted.stream().map(LoadSorterTest::text).toList());
    }
  }

  /** Values may be long, and files many. */
  @Test
  void onlyTheValueThatIsAskedForIsRead() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (String name : List.of("a", "b", "c")) {
      entry(name, 1, 0, new byte[10_000]).write(out);
    }
    LoadEntry.writeEnd(out);
    ByteArrayInputStream in = new ByteArrayInputStream(bytes.toByteArray());
    LoadRun run = LoadRun.of(new DataInputStream(in));
    LoadRun other = LoadRun.of(List.of(entry("b", 1, 0, new byte[1])));
    Comparator<LoadRun> byHead = LoadRun.byHead(LoadEntry.byPlaceAndAge(BY_PLACE));
    assertTrue(run.advance() && other.advance());
    assertTrue(byHead.compare(run, other) < 0);
    assertTrue(in.available() > 30_000, "no value was read");
    assertTrue(run.advance());
    assertTrue(in.available() > 20_000, "the first was passed over");
    assertTrue(byHead.compare(run, other) < 0, "of equally new ones the greater value is better");
    assertTrue(in.available() < 20_000, "that one was compared");
    assertEquals(10_000, run.head().value().length);
    assertTrue(run.advance());
    assertEquals(10_000, run.head().value().length);
    assertFalse(run.advance());
  }
}
