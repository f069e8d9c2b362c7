package dev.colonnade.server.cluster.hints;

import static dev.colonnade.server.cluster.hints.HintFixture.B;
import static dev.colonnade.server.cluster.hints.HintFixture.at;
import static dev.colonnade.server.cluster.hints.HintFixture.words;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FormatTooNewException;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Whatever happens to a file, only hints that were kept are delivered, and missing ones are
 * reported, except at the end of the last segment, which may hold an incomplete write.
 */
final class HintDamageTest {
  private static final String DIRECTORY = "hints/" + B;

  /** Some segments, the last one not ended and with a sync in its middle. */
  private static SimFileSystem disk() throws IOException {
    HintFixture node = new HintFixture();
    for (String word : words(40)) {
      node.keepAll(B, word);
    }
    var unused = node.keepSynced(B, "synced");
    node.scheduler.runUntilIdle();
    node.keepAll(B, "later");
    node.keepAll(B, "latest");
    return node.disk;
  }

  private static List<String> all() {
    String[] all = Arrays.copyOf(words(40), 43);
    all[40] = "synced";
    all[41] = "later";
    all[42] = "latest";
    return at(B, all);
  }

  /** The hints that a restart delivers, in order. */
  private static HintFixture delivered(SimFileSystem damaged, String what) throws IOException {
    HintFixture node = new HintFixture(damaged, HintFixture.SMALL);
    node.comesBack(B);
    assertEquals(List.of(), node.scheduler.failures(), what);
    List<String> rest = new ArrayList<>(all());
    rest.retainAll(node.arrived);
    assertEquals(rest, node.arrived, what);
    return node;
  }

  private static boolean saysSo(HintFixture node) {
    return node.figures(B).damagedSegments() == 1;
  }

  @Test
  void everyFlippedBitIsHarmlessOrReported() throws IOException {
    SimFileSystem sound = disk();
    List<String> segments = sound.list(DIRECTORY);
    assertTrue(segments.size() > 2, segments.toString());
    for (String segment : segments) {
      boolean last = segment.equals(segments.get(segments.size() - 1));
      String path = DIRECTORY + "/" + segment;
      long bits = 8L * sound.content(path).length;
      for (long bit = 0; bit < bits; bit += 29) {
        SimFileSystem damaged = sound.copy();
        damaged.flipBit(path, bit);
        String what = path + " bit " + bit;
        HintFixture node = delivered(damaged, what);
        if (!saysSo(node)) {
          List<String> least = last ? all().subList(0, 41) : all();
          assertTrue(node.arrived.containsAll(least), what + ": " + node.arrived);
        } else {
          assertTrue(node.arrived.size() >= 10, what + ": " + node.arrived);
          assertTrue(damaged.exists(path + ".damaged"), what);
        }
      }
    }
  }

  @Test
  void everyTruncationIsATornTailOrReported() throws IOException {
    SimFileSystem sound = disk();
    List<String> segments = sound.list(DIRECTORY);
    for (String segment : segments) {
      boolean last = segment.equals(segments.get(segments.size() - 1));
      String path = DIRECTORY + "/" + segment;
      byte[] whole = sound.content(path);
      for (int length = 0; length < whole.length; length += 5) {
        SimFileSystem damaged = sound.copy();
        damaged.overwrite(path, Arrays.copyOf(whole, length));
        String what = path + " cut to " + length;
        HintFixture node = delivered(damaged, what);
        if (!saysSo(node) && !last) {
          assertEquals(all(), node.arrived, what);
        }
      }
    }
  }

  @Test
  void sectorsThatStrayedOrWereZeroedAreHarmlessOrReported() throws IOException {
    SimFileSystem sound = disk();
    List<String> segments = sound.list(DIRECTORY);
    for (String from : segments) {
      for (String to : segments) {
        for (int sector = 0; sector < 3; sector++) {
          for (int target = 0; target < 3; target++) {
            String path = DIRECTORY + "/" + to;
            int size = sound.content(path).length;
            if (512 * target < size
                && 512 * sector < sound.content(DIRECTORY + "/" + from).length) {
              SimFileSystem damaged = sound.copy();
              damaged.copySector(DIRECTORY + "/" + from, sector, path, target);
              delivered(damaged, from + " " + sector + " over " + to + " " + target);
            }
            byte[] zeroed = sound.content(path);
            Arrays.fill(
                zeroed, Math.min(size, 512 * target), Math.min(size, 512 * (target + 1)), (byte) 0);
            SimFileSystem damaged = sound.copy();
            damaged.overwrite(path, zeroed);
            delivered(damaged, to + " " + target + " zeroed");
          }
        }
      }
    }
  }

  @Test
  void damageThatShowsUpWhileTheNodeRunsCostsThatSegmentOnly() throws IOException {
    HintFixture node = new HintFixture();
    node.keepAll(B, words(60));
    List<String> segments = node.disk.list(DIRECTORY);
    String path = DIRECTORY + "/" + segments.get(1);
    node.disk.flipBit(path, 8L * 300);
    node.comesBack(B);
    assertEquals(1, node.figures(B).damagedSegments());
    assertEquals(0, node.figures(B).hints());
    assertTrue(node.arrived.contains(B + " word0") && node.arrived.contains(B + " word59"));
    assertTrue(node.disk.exists(path + ".damaged"));
  }

  @Test
  void damagedSegmentsLeaveRoomForNewHints() throws IOException {
    HintFixture node = new HintFixture();
    for (int round = 0; round < 30; round++) {
      for (String word : words(60)) {
        CompletableFuture<Void> kept = node.keep(B, word);
        node.scheduler.runUntilIdle();
        assertFalse(kept.isCompletedExceptionally(), "round " + round);
      }
      String segment =
          node.disk.list(DIRECTORY).stream()
              .filter(name -> HintFormat.number(name).isPresent())
              .skip(1)
              .findFirst()
              .orElseThrow();
      node.disk.flipBit(DIRECTORY + "/" + segment, 8L * 300);
      node.comesBack(B);
      node.dies(B);
      assertEquals(round + 1, node.figures(B).damagedSegments());
    }
  }

  @Test
  void aDamagedPositionMeansThatAllIsDeliveredAgain() throws IOException {
    HintFixture node = new HintFixture();
    node.keepAll(B, words(20));
    node.holding = true;
    node.alive.add(B);
    node.hints.alive(B);
    node.scheduler.runUntilIdle();
    node.held.remove(0).run();
    node.scheduler.advance(Duration.ofMillis(10));
    var unused = node.hints.stop();
    node.scheduler.runUntilIdle();
    String path = DIRECTORY + "/delivered";
    assertTrue(node.disk.exists(path));
    for (long bit = 0; bit < 8L * node.disk.content(path).length; bit++) {
      SimFileSystem damaged = node.disk.copy();
      damaged.flipBit(path, bit);
      if (bit / 8 == 8 || bit / 8 == 9) {
        continue; // another version, which is no damage
      }
      HintFixture next = node.restartOn(damaged);
      next.comesBack(B);
      assertEquals(at(B, words(20)), next.arrived, "bit " + bit);
    }
  }

  @Test
  void aSegmentUnderAnotherNameOrNodeIsDamaged() throws IOException {
    SimFileSystem disk = disk();
    String first = DIRECTORY + "/" + HintFormat.name(1);
    byte[] content = disk.content(first);
    disk.createDirectories("hints/c0c0");
    disk.overwrite("hints/c0c0/" + HintFormat.name(1), content);
    disk.overwrite(DIRECTORY + "/" + HintFormat.name(99), content);
    HintFixture node = new HintFixture(disk, HintFixture.SMALL);
    assertEquals(1, node.figures("c0c0").damagedSegments());
    assertEquals(1, node.figures(B).damagedSegments());
    node.comesBack(B);
    assertEquals(all(), node.arrived);
  }

  @Test
  void aSegmentOfANewerReleaseIsLeftAloneAndStopsTheStart() throws IOException {
    SimFileSystem disk = disk();
    String path = DIRECTORY + "/" + disk.list(DIRECTORY).get(0);
    byte[] content = disk.content(path);
    content[9] = 2;
    int checksumAt = 14 + 24 + 1 + B.length();
    byte[] checked = Arrays.copyOf(content, checksumAt);
    int crc = Checksums.crc32c(checked);
    ByteBuffer.wrap(content).putInt(checksumAt, crc);
    disk.overwrite(path, content);
    assertThrows(FormatTooNewException.class, () -> new HintFixture(disk, HintFixture.SMALL));
    assertEquals(content.length, disk.content(path).length);
  }

  @Test
  void theExampleOfTheFormatDocumentIsWhatIsWritten() throws IOException {
    byte[] golden = resource("hints-segment-v1.hex");
    SimFileSystem disk = new SimFileSystem();
    disk.createDirectories("hints/a1");
    disk.overwrite("hints/a1/" + HintFormat.name(1), golden);
    HintFixture reader = new HintFixture(disk, HintFixture.SMALL);
    reader.families.put(HintFixture.POSTS, Long.MAX_VALUE);
    reader.comesBack("a1");
    assertEquals(at("a1", "k", "l"), reader.arrived);
    HintFixture writer = new HintFixture();
    var unused = writer.hints.keep("a1", HintFixture.word("k", 3, HintFixture.POSTS), true);
    writer.scheduler.runUntilIdle();
    var unused2 = writer.hints.keep("a1", HintFixture.word("l", 3, HintFixture.POSTS), true);
    writer.scheduler.runUntilIdle();
    var unused3 = writer.hints.stop();
    writer.scheduler.runUntilIdle();
    assertEquals(
        HexFormat.of().formatHex(golden),
        HexFormat.of().formatHex(writer.disk.content("hints/a1/" + HintFormat.name(1))));
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = HintDamageTest.class.getResourceAsStream("/golden/" + name)) {
      String text = new String(requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
      return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
    }
  }

  @Test
  void damageSaysFileAndPlace() throws IOException {
    SimFileSystem disk = disk();
    String path = DIRECTORY + "/" + HintFormat.name(1);
    disk.flipBit(path, 8L * 300);
    ClosedSegment segment = new ClosedSegment(1, 47, 900, 900, 1_000, HintFormat.Summary.EMPTY);
    CorruptFileException damage =
        assertThrows(
            CorruptFileException.class,
            () -> HintBatch.read(disk, path, segment, 47, 1 << 20, 1_000));
    assertTrue(damage.path().contains(HintFormat.name(1)));
    assertTrue(damage.offset() > 250 && damage.offset() <= 300, "" + damage.offset());
  }
}
