package dev.colonnade.server.storage.manifest;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.PowerLostException;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

/** The live set survives every crash, and damage is never mistaken for one. */
final class ManifestTest {
  private static final NodeIdentity NODE = new NodeIdentity(1, 2, "Test", "RandomPartitioner");
  private static final FamilyId POSTS = new FamilyId(0xA, 0xB);
  private static final FamilyId TAGS = new FamilyId(0xC, 0xD);
  private static final long LARGE = 1 << 20;

  private final SimFileSystem disk = new SimFileSystem();

  @Test
  void editsComeBackAfterACrash() throws IOException {
    Manifest manifest = open(disk);
    manifest.apply(Edit.flush(POSTS, List.of(file(1)), new LogPosition(1, 300)));
    manifest.apply(Edit.flush(POSTS, List.of(file(2)), new LogPosition(2, 5)));
    manifest.apply(Edit.flush(TAGS, List.of(), new LogPosition(1, 7)));
    manifest.apply(Edit.replace(POSTS, List.of(file(3)), List.of(1L, 2L)));
    Manifest reopened = open(disk.crashClone());
    assertEquals(manifest.families(), reopened.families());
    FamilyState posts = reopened.family(POSTS);
    assertEquals(Set.of(3L), posts.files().keySet());
    assertEquals(file(3), posts.files().get(3L));
    assertEquals(new LogPosition(2, 5), posts.flushedUpTo());
    assertEquals(4, posts.nextGeneration());
    assertEquals(new LogPosition(1, 7), reopened.family(TAGS).flushedUpTo());
  }

  @Test
  void aFamilyWithoutEditsIsEmpty() throws IOException {
    FamilyState state = open(disk).family(POSTS);
    assertTrue(state.files().isEmpty());
    assertEquals(LogPosition.START, state.flushedUpTo());
    assertEquals(1, state.nextGeneration());
  }

  @Test
  void truncationTakesFilesAndLogTogetherAndNumbersGoOn() throws IOException {
    Manifest manifest = open(disk);
    manifest.apply(Edit.flush(POSTS, List.of(file(1), file(2)), new LogPosition(1, 1)));
    manifest.apply(Edit.truncate(manifest.family(POSTS), new LogPosition(3, 9)));
    FamilyState state = open(disk.crashClone()).family(POSTS);
    assertTrue(state.files().isEmpty());
    assertEquals(new LogPosition(3, 9), state.flushedUpTo());
    assertEquals(3, state.nextGeneration());
  }

  @Test
  void aDroppedFamilyIsForgotten() throws IOException {
    Manifest manifest = open(disk);
    manifest.apply(Edit.flush(POSTS, List.of(file(1)), new LogPosition(1, 1)));
    manifest.apply(Edit.drop(POSTS));
    assertTrue(manifest.families().isEmpty());
    assertTrue(open(disk.crashClone()).families().isEmpty());
  }

  @Test
  void editsThatDoNotFitAreRefusedAndChangeNothing() throws IOException {
    Manifest manifest = open(disk);
    manifest.apply(Edit.flush(POSTS, List.of(file(5)), new LogPosition(2, 0)));
    SortedMap<FamilyId, FamilyState> before = manifest.families();
    long bytes = manifest.fileBytes();
    for (Edit edit :
        List.of(
            Edit.replace(POSTS, List.of(), List.of(4L)),
            Edit.replace(POSTS, List.of(file(5)), List.of()),
            Edit.flush(POSTS, List.of(), new LogPosition(1, 9)))) {
      assertThrows(IllegalArgumentException.class, () -> manifest.apply(edit), edit.toString());
    }
    assertEquals(before, manifest.families());
    assertEquals(bytes, manifest.fileBytes());
  }

  @Test
  void aMergeMayTakeItsPlaceAfterFlushesThatBeganLater() throws IOException {
    Manifest manifest = open(disk);
    manifest.apply(Edit.flush(POSTS, List.of(file(1), file(2)), new LogPosition(1, 1)));
    manifest.apply(Edit.flush(POSTS, List.of(file(4)), new LogPosition(2, 1)));
    manifest.apply(Edit.replace(POSTS, List.of(file(3)), List.of(1L, 2L)));
    FamilyState state = open(disk.crashClone()).family(POSTS);
    assertEquals(List.of(3L, 4L), List.copyOf(state.files().keySet()));
    assertEquals(5, state.nextGeneration());
  }

  @Test
  void theIdentityIsFixedAtTheFirstStart() throws IOException {
    assertThrows(FileNotFoundException.class, () -> Manifest.readIdentity(disk));
    open(disk).close();
    Manifest again =
        Manifest.open(disk, new NodeIdentity(8, 9, "Test", "RandomPartitioner"), LARGE);
    assertEquals(NODE, again.identity());
    assertEquals(NODE, Manifest.readIdentity(disk));
    assertEquals("00000000000000010000000000000002", NODE.id());
    byte[] before = disk.content(Manifest.NAME);
    for (NodeIdentity other :
        List.of(
            new NodeIdentity(1, 2, "Other", "RandomPartitioner"),
            new NodeIdentity(1, 2, "Test", "ByteOrderedPartitioner"))) {
      IdentityMismatchException refused =
          assertThrows(IdentityMismatchException.class, () -> Manifest.open(disk, other, LARGE));
      assertTrue(
          String.valueOf(refused.getMessage()).contains("RandomPartitioner")
              || String.valueOf(refused.getMessage()).contains("Other"));
    }
    assertEquals(hex(before), hex(disk.content(Manifest.NAME)));
  }

  @Test
  void theFileStaysBoundedByWhatItSays() throws IOException {
    Manifest manifest = Manifest.open(disk, NODE, 1000);
    manifest.apply(Edit.flush(POSTS, List.of(file(1)), new LogPosition(1, 1)));
    for (long generation = 2; generation < 500; generation++) {
      manifest.apply(Edit.replace(POSTS, List.of(file(generation)), List.of(generation - 1)));
      assertTrue(manifest.fileBytes() < 1100, manifest.fileBytes() + " bytes");
    }
    assertEquals(Set.of(499L), open(disk.crashClone()).family(POSTS).files().keySet());
    assertEquals(List.of(Manifest.NAME, Manifest.COPY_NAME), disk.list(""));
  }

  @Test
  void theLayoutIsThatOfTheGoldenFile() throws IOException {
    byte[] golden = golden();
    Manifest manifest = open(disk);
    scenario(manifest);
    assertEquals(hex(golden), hex(disk.content(Manifest.NAME)));
    assertEquals(hex(golden), hex(disk.content(Manifest.COPY_NAME)));
    SimFileSystem other = new SimFileSystem();
    other.overwrite(Manifest.NAME, golden);
    assertEquals(manifest.families(), open(other).families());
  }

  @Test
  void aManifestWithoutACopyIsReadAndGetsOne() throws IOException {
    disk.overwrite(Manifest.NAME, golden("manifest-v1.hex"));
    Manifest manifest = open(disk);
    assertEquals(states().get(2), manifest.families());
    assertEquals(hex(disk.content(Manifest.NAME)), hex(disk.content(Manifest.COPY_NAME)));
  }

  @Test
  void damageOfOneFileChangesNothing() throws IOException {
    byte[] golden = golden();
    SortedMap<FamilyId, FamilyState> families = states().get(2);
    for (List<String> names :
        List.of(
            List.of(Manifest.NAME, Manifest.COPY_NAME),
            List.of(Manifest.COPY_NAME, Manifest.NAME))) {
      for (int length = 0; length < golden.length; length++) {
        SimFileSystem damaged = new SimFileSystem();
        damaged.overwrite(names.get(0), golden);
        damaged.overwrite(names.get(1), Arrays.copyOf(golden, length));
        assertEquals(families, open(damaged).families(), names.get(1) + " of " + length);
      }
      for (int bit = 0; bit < 8 * golden.length; bit++) {
        SimFileSystem damaged = new SimFileSystem();
        damaged.overwrite(names.get(0), golden);
        damaged.overwrite(names.get(1), golden);
        damaged.flipBit(names.get(1), bit);
        assertEquals(families, open(damaged).families(), names.get(1) + ", bit " + bit);
        assertEquals(families, open(damaged).families(), "after it was mended");
      }
      SimFileSystem alone = new SimFileSystem();
      alone.overwrite(names.get(0), golden);
      assertEquals(families, open(alone).families(), names.get(0) + " alone");
    }
  }

  @Test
  void filesInQuarantineAreRememberedUntilReleased() throws IOException {
    Manifest manifest = Manifest.open(disk, NODE, 10);
    manifest.apply(Edit.flush(POSTS, List.of(file(1), file(2)), new LogPosition(1, 1)));
    ManifestFile damaged = new ManifestFile(1, new byte[] {7, 8});
    manifest.apply(Edit.quarantine(POSTS, damaged));
    FamilyState state = open(disk.crashClone()).family(POSTS);
    assertEquals(Set.of(2L), state.files().keySet());
    assertEquals(List.of(damaged), List.copyOf(state.quarantined().values()));
    assertEquals(manifest.families(), open(disk.crashClone()).families());
    for (Edit edit :
        List.of(
            Edit.quarantine(POSTS, damaged),
            Edit.giveUp(POSTS, 2),
            Edit.reinstate(POSTS, file(2)),
            Edit.replace(POSTS, List.of(file(1)), List.of()))) {
      assertThrows(IllegalArgumentException.class, () -> manifest.apply(edit), edit.toString());
    }
    manifest.apply(Edit.reinstate(POSTS, file(1)));
    assertEquals(Set.of(1L, 2L), open(disk.crashClone()).family(POSTS).files().keySet());
    manifest.apply(Edit.quarantine(POSTS, damaged));
    manifest.apply(Edit.giveUp(POSTS, 1));
    assertTrue(open(disk.crashClone()).family(POSTS).quarantined().isEmpty());
    manifest.apply(Edit.quarantine(POSTS, file(2)));
    manifest.apply(Edit.truncate(manifest.family(POSTS), new LogPosition(5, 1)));
    assertTrue(open(disk.crashClone()).family(POSTS).quarantined().isEmpty());
  }

  @Test
  void everyTruncationGivesAPrefixOrATypedError() throws IOException {
    byte[] golden = golden();
    List<SortedMap<FamilyId, FamilyState>> states = states();
    int header = 65;
    for (int length = 0; length < golden.length; length++) {
      SimFileSystem damaged = new SimFileSystem();
      damaged.overwrite(Manifest.NAME, Arrays.copyOf(golden, length));
      if (length < header) {
        assertThrows(CorruptFileException.class, () -> open(damaged), "length " + length);
      } else {
        int complete = states.indexOf(open(damaged).families());
        assertTrue(complete >= 0 && complete < states.size() - 1, "length " + length);
      }
    }
  }

  @Test
  void everyFlippedBitGivesAPrefixOrATypedError() throws IOException {
    byte[] golden = golden();
    List<SortedMap<FamilyId, FamilyState>> states = states();
    int lastRecord = golden.length - 31;
    for (int bit = 0; bit < 8 * golden.length; bit++) {
      SimFileSystem damaged = new SimFileSystem();
      damaged.overwrite(Manifest.NAME, golden);
      damaged.flipBit(Manifest.NAME, bit);
      if (bit < 8 * lastRecord) {
        assertThrows(UnreadableFileException.class, () -> open(damaged), "bit " + bit);
      } else {
        assertEquals(states.get(1), open(damaged).families(), "bit " + bit);
      }
    }
  }

  @Test
  void aCrashAfterEveryFileOperationLeavesOneOfTheStates() throws IOException {
    long operations = sweep(new SimFileSystem(), new ArrayList<>());
    assertTrue(operations > 60, operations + " operations");
    for (long n = 1; n <= operations; n++) {
      SimFileSystem stopped = new SimFileSystem();
      stopped.stopAfter(n);
      List<SortedMap<FamilyId, FamilyState>> acknowledged = new ArrayList<>();
      try {
        sweep(stopped, acknowledged);
      } catch (PowerLostException | ManifestBrokenException expected) {
        // The point of the exercise.
      }
      for (int seed = -1; seed < 10; seed++) {
        SimFileSystem after =
            seed < 0 ? stopped.crashClone() : stopped.crashClone(new SeededRandom(seed));
        checkAfterCrash(after, acknowledged, "operation " + n + ", seed " + seed);
      }
    }
  }

  /** Generation k is added by the k-th edit, so the state says which edits it holds. */
  private static void checkAfterCrash(
      SimFileSystem after, List<SortedMap<FamilyId, FamilyState>> acknowledged, String message)
      throws IOException {
    FamilyState state = open(after).family(POSTS);
    long edits = state.nextGeneration() - 1;
    long last = acknowledged.isEmpty() ? 0 : acknowledged.size();
    assertTrue(edits == last || edits == last + 1, message + ": " + edits + " of " + last);
    if (edits == last && last > 0) {
      assertEquals(acknowledged.get((int) last - 1).get(POSTS), state, message);
    }
    assertFalse(after.exists("MANIFEST.tmp"), message);
  }

  private static long sweep(
      SimFileSystem files, List<SortedMap<FamilyId, FamilyState>> acknowledged) throws IOException {
    for (int run = 0; run < 2; run++) {
      Manifest manifest = Manifest.open(files, NODE, 300);
      for (int i = 0; i < 12; i++) {
        FamilyState state = manifest.family(POSTS);
        List<Long> removed = new ArrayList<>(state.files().keySet());
        manifest.apply(Edit.replace(POSTS, List.of(file(state.nextGeneration())), removed));
        acknowledged.add(manifest.families());
      }
      manifest.close();
    }
    return files.operations();
  }

  @Test
  void aFailedSyncIsFinal() throws IOException {
    Manifest manifest = open(disk);
    manifest.apply(Edit.flush(POSTS, List.of(file(1)), new LogPosition(1, 1)));
    disk.failAt(disk.operations() + 2);
    Edit edit = Edit.replace(POSTS, List.of(file(2)), List.of(1L));
    assertThrows(ManifestBrokenException.class, () -> manifest.apply(edit));
    assertEquals(Set.of(1L), manifest.family(POSTS).files().keySet());
    assertThrows(ManifestBrokenException.class, () -> manifest.apply(edit));
    manifest.close();
  }

  @Test
  void tooMuchMetadataIsRefused() {
    byte[] metadata = new byte[ManifestFile.MAX_METADATA_BYTES + 1];
    assertThrows(IllegalArgumentException.class, () -> new ManifestFile(1, metadata));
    assertThrows(IllegalArgumentException.class, () -> new ManifestFile(0, new byte[0]));
  }

  private static Manifest open(SimFileSystem files) throws IOException {
    return Manifest.open(files, NODE, LARGE);
  }

  private static ManifestFile file(long generation) {
    return new ManifestFile(generation, new byte[] {(byte) generation});
  }

  private static void scenario(Manifest manifest) throws IOException {
    ManifestFile first = new ManifestFile(1, new byte[] {(byte) 0xca, (byte) 0xfe});
    manifest.apply(Edit.flush(POSTS, List.of(first), new LogPosition(1, 300)));
    manifest.apply(Edit.replace(POSTS, List.of(new ManifestFile(2, new byte[0])), List.of(1L)));
  }

  /** The states of the golden file: none, one edit, both. */
  private static List<SortedMap<FamilyId, FamilyState>> states() throws IOException {
    byte[] golden = golden();
    List<SortedMap<FamilyId, FamilyState>> states = new ArrayList<>();
    for (int length : new int[] {65, golden.length - 31, golden.length}) {
      SimFileSystem files = new SimFileSystem();
      files.overwrite(Manifest.NAME, Arrays.copyOf(golden, length));
      states.add(open(files).families());
    }
    return states;
  }

  private static byte[] golden() throws IOException {
    return golden("manifest-v2.hex");
  }

  private static byte[] golden(String name) throws IOException {
    try (InputStream in = ManifestTest.class.getResourceAsStream("/golden/" + name)) {
      String text = new String(requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
      return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
