package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.env.KeyIndexes.KeyIndex;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Many files that last, and few descriptors for them. */
final class OpenFilesTest {

  private static final int DESCRIPTORS = 8;
  private static final int FILES = 20;
  private static final int BYTES = 1 << 10;
  private static final long SEED = 20_261_128L;

  @TempDir Path directory;

  private final OpenFiles table = new OpenFiles(DESCRIPTORS);
  private final List<ReadableFile> opened = new ArrayList<>();
  private OsFileSystem files;

  @BeforeEach
  void openMoreFilesThanDescriptors() throws IOException {
    files = OsFileSystem.open(directory, table);
    for (int i = 0; i < FILES; i++) {
      try (WritableFile file = files.create("file" + i)) {
        file.write(ByteBuffer.wrap(content(i)));
      }
      opened.add(files.openLasting("file" + i));
    }
  }

  @AfterEach
  void closeAll() throws IOException {
    for (ReadableFile file : opened) {
      file.close();
    }
    assertEquals(0, table.used(), "nothing is left");
  }

  private static byte[] content(int file) {
    byte[] content = new byte[BYTES];
    new SeededRandom(file).nextBytes(content);
    return content;
  }

  private void requireReadable(int file) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(BYTES);
    opened.get(file).read(0, target);
    assertEquals(ByteBuffer.wrap(content(file)), target.flip(), "file " + file);
    assertEquals(BYTES, opened.get(file).size());
  }

  @Test
  void eachFileIsReadAndNoMoreDescriptorsAreUsedThanThereMayBe() throws IOException {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < FILES; i++) {
        requireReadable(i);
        assertTrue(table.used() <= DESCRIPTORS, table.used() + " descriptors");
        assertEquals(DESCRIPTORS - table.used(), table.left());
      }
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theProcessHasNoMoreDescriptorsOfThemThanTheTableCounts() throws IOException {
    for (int i = 0; i < FILES; i++) {
      requireReadable(i);
    }
    assertEquals(table.used(), descriptorsInDirectory());
  }

  private long descriptorsInDirectory() throws IOException {
    long found = 0;
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : all.toList()) {
        found += isOfDirectory(each) ? 1 : 0;
      }
    }
    return found;
  }

  private boolean isOfDirectory(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(directory.toRealPath());
    } catch (NoSuchFileException closedMeanwhile) {
      return false;
    }
  }

  /** A read that must not wait does not open a file, since that could wait for the disk. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aReadFromMemoryFindsNothingInAClosedFileUntilAnotherReadOpensIt() throws IOException {
    ByteBuffer target = ByteBuffer.allocateDirect(BYTES);
    assertFalse(opened.get(0).readIfInMemory(0, target), "others were opened since");
    requireReadable(0);
    assertTrue(opened.get(0).readIfInMemory(0, target));
    assertEquals(ByteBuffer.wrap(content(0)), target.flip());
  }

  @Test
  void aFileThatIsReadAgainAndAgainStaysOpen() throws IOException {
    requireReadable(0);
    ByteBuffer target = ByteBuffer.allocateDirect(BYTES);
    for (int i = 1; i < FILES; i++) {
      opened.get(i).read(0, ByteBuffer.allocate(1));
      boolean found = opened.get(0).readIfInMemory(0, target.clear());
      assertEquals(OS.LINUX.isCurrentOs(), found, "after file " + i);
    }
  }

  @Test
  void threadsThatReadWhileFilesAreClosedGetWhatTheyAskedFor() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        SeededRandom random = new SeededRandom(SEED + i);
        readers.add(
            threads.submit(
                () -> {
                  ByteBuffer direct = ByteBuffer.allocateDirect(BYTES);
                  for (int read = 0; read < 2_000; read++) {
                    int file = random.nextInt(FILES);
                    requireReadable(file);
                    if (opened.get(file).readIfInMemory(0, direct.clear())) {
                      assertEquals(ByteBuffer.wrap(content(file)), direct.flip());
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError("seed " + SEED, e.getCause());
    } finally {
      threads.shutdownNow();
    }
    assertTrue(table.used() <= DESCRIPTORS, table.used() + " descriptors");
  }

  @Test
  void aClosedFileIsNotOpenedAgain() throws IOException {
    requireReadable(0);
    opened.get(0).close();
    opened.get(0).close();
    assertThrows(ClosedChannelException.class, () -> requireReadable(0));
    assertFalse(opened.get(0).readIfInMemory(0, ByteBuffer.allocateDirect(1)));
    requireReadable(1);
  }

  @Test
  void aFileThatDoesNotExistIsNotFoundAndTakesNothing() {
    int before = table.used();
    assertThrows(FileNotFoundException.class, () -> files.openLasting("none"));
    assertEquals(before, table.used());
  }

  @Test
  void halfOfTheDescriptorsMayBePinnedAndComeBack() throws IOException {
    List<Claim> pins = new ArrayList<>();
    for (Claim pin = table.pin(); pin != null; pin = table.pin()) {
      pins.add(pin);
    }
    assertEquals(DESCRIPTORS / 2, pins.size());
    for (int i = 0; i < FILES; i++) {
      requireReadable(i);
      assertTrue(table.used() <= DESCRIPTORS);
    }
    pins.forEach(Claim::close);
    Claim again = table.pin();
    assertNotNull(again);
    again.close();
  }

  @Test
  void aKeyIndexFindsNothingWhereNoDescriptorIsLeft() throws IOException {
    KeyIndexes indexes = new ChronicleKeyIndexes(files);
    List<KeyIndex> open = new ArrayList<>();
    for (int i = 0; i < DESCRIPTORS; i++) {
      try (KeyIndexes.KeyIndexBuilder builder = indexes.create("map" + i, 1, 1)) {
        builder.put(1, 1, 1);
        builder.finish();
      }
      open.add(indexes.open("map" + i, 1));
    }
    for (int i = 0; i < DESCRIPTORS; i++) {
      assertEquals(i < DESCRIPTORS / 2 ? 1 : -1, open.get(i).find(1, 1), "map " + i);
      open.get(i).close();
    }
    try (KeyIndex later = indexes.open("map" + (DESCRIPTORS - 1), 1)) {
      assertEquals(1, later.find(1, 1));
    }
  }

  @Test
  void connectionsLeaveWhatDataFilesMayStillTake() {
    FileDescriptors descriptors = new FileDescriptors(100, () -> 60, () -> 30);
    assertTrue(descriptors.take(10, 1));
    assertFalse(descriptors.take(10, 1), "each one that was taken counts");
  }

  @Test
  void aLimitThatIsTooLowForANodeIsRefusedInWords() {
    assertTrue(FileDescriptors.whyTooFew(1_024, 64).isEmpty());
    assertTrue(FileDescriptors.whyTooFew(120, 2).isEmpty());
    String refusal = FileDescriptors.whyTooFew(119, 2).orElseThrow();
    assertTrue(refusal.contains("119 files") && refusal.contains("at least 120"), refusal);
  }
}
