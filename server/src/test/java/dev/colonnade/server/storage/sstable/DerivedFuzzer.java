package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.FuzzBytes;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/**
 * Any content of the filter, the statistics, the sparse index or the key index is read or refused,
 * each by itself. With wrong checksums, the rows of the file are unchanged.
 */
public final class DerivedFuzzer {

  private static final Component[] DERIVED = {
    Component.INDEX, Component.FILTER, Component.META, Component.KEYS
  };
  private static final SSTableIdentity IDENTITY = TestFiles.identity(1, DataFileFuzzer.ORDER);
  private static final NavigableMap<RowKey, RowState> ROWS =
      new TestRows(5, DataFileFuzzer.ORDER).rows(6);
  private static final Map<Component, byte[]> SOUND = sound();

  /**
   * The expected rows, computed once, because computing them for each input would take half of the
   * time.
   */
  private static final Map<RowKey, List<Object>> EXPECTED = expected();

  private DerivedFuzzer() {}

  /** A sound component of the file that the fuzzer damages. */
  static byte[] sound(Component component) {
    return SOUND.getOrDefault(component, new byte[0]).clone();
  }

  /** One input: checksums or not, and which component, in the first byte; then its file. */
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    if (data.length == 0) {
      return;
    }
    Component component = DERIVED[(data[0] >> 1) & 3];
    byte[] file = FuzzBytes.file(data);
    SimFileSystem disk = new SimFileSystem();
    disk.createDirectories("f");
    SSTableResources resources = TestFiles.smallResources(disk, TestFiles.smallBlocks());
    if (FuzzBytes.wantsChecksums(data) && component != Component.KEYS) {
      DataFileFuzzer.mend(file, IDENTITY, component);
      disk.overwrite(IDENTITY.path(component), file);
      alone(resources, component);
      return;
    }
    for (Map.Entry<Component, byte[]> sound : SOUND.entrySet()) {
      disk.overwrite(IDENTITY.path(sound.getKey()), sound.getValue());
    }
    disk.overwrite(IDENTITY.path(component), file);
    sameRows(SSTable.open(resources, IDENTITY));
  }

  private static void alone(SSTableResources resources, Component component) throws IOException {
    try {
      if (component == Component.META) {
        MetaFile.read(resources, IDENTITY).meta().stats().droppableShare(1, 1);
        return;
      }
      try (BlockReader source = BlockReader.open(resources.files(), IDENTITY, component)) {
        if (component == Component.FILTER) {
          BloomFilter filter = BloomFilter.read(source);
          filter.mightContain(dev.colonnade.server.base.codec.Hash128.of(new byte[] {1}));
          return;
        }
        for (long at = source.start(); at < source.end(); ) {
          int frame = source.frameBytes(at, Integer.MAX_VALUE);
          IndexFuzzer.fuzzerTestOneInput(source.read(at, frame));
          at += frame;
        }
      }
    } catch (UnreadableFileException | MismatchedFileException refused) {
      return;
    }
  }

  private static void sameRows(SSTable table) throws IOException {
    table.openKeyIndex();
    for (Map.Entry<RowKey, List<Object>> row : EXPECTED.entrySet()) {
      var found =
          table.row(
              row.getKey(),
              dev.colonnade.server.base.model.PathRange.ALL,
              false,
              ReadContext.blocking());
      if (found == null || !TestFiles.drain(found).equals(row.getValue())) {
        throw new AssertionError("row " + row.getKey() + " is another");
      }
    }
    table.release();
  }

  private static Map<RowKey, List<Object>> expected() {
    Map<RowKey, List<Object>> expected = new LinkedHashMap<>();
    ROWS.forEach(
        (key, row) -> {
          try {
            expected.put(
                key,
                TestFiles.drain(
                    row.cursor(
                        dev.colonnade.server.base.model.PathRange.ALL,
                        false,
                        DataFileFuzzer.ORDER)));
          } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
          }
        });
    return expected;
  }

  private static Map<Component, byte[]> sound() {
    try {
      SimFileSystem disk = new SimFileSystem();
      SSTableResources resources = TestFiles.smallResources(disk, TestFiles.smallBlocks());
      TestFiles.write(resources, IDENTITY, ROWS).release();
      Map<Component, byte[]> sound = new EnumMap<>(Component.class);
      for (Component component : Component.values()) {
        if (disk.exists(IDENTITY.path(component))) {
          sound.put(component, disk.content(IDENTITY.path(component)));
        }
      }
      return sound;
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
