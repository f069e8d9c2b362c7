package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SortedArrayKeyIndexes;
import dev.colonnade.server.storage.cache.BlockCache;
import dev.colonnade.server.storage.cache.FrameCache;
import dev.colonnade.server.storage.cache.KeyCache;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a block cache without room on the heap finds outside of it, without the disk. */
final class KeptFramesTest {
  private static final PathOrder ORDER = TestRows.STANDARD;
  private static final int SEGMENT_BYTES = 64 << 10;

  private final SimFileSystem files = new SimFileSystem();
  private final List<ByteBuffer> memory = new ArrayList<>();
  private final TreeMap<RowKey, RowState> rows = new TreeMap<>();
  private final RowKey key = TestRows.key("row7");

  @SuppressWarnings("NullAway.Init") // opened before use
  private SSTable table;

  @BeforeEach
  void makeRows() {
    for (int i = 0; i < 40; i++) {
      RowUpdate update =
          RowUpdate.builder(ORDER)
              .add(
                  Cell.live(
                      new byte[] {1},
                      null,
                      ("value" + i).repeat(20).getBytes(StandardCharsets.UTF_8),
                      i))
              .build();
      rows.put(TestRows.key("row" + i), RowState.EMPTY.apply(update, ORDER));
    }
  }

  @AfterEach
  void close() {
    table.release();
  }

  private void write(SSTableSettings.BlockCompression compression) throws IOException {
    FrameCache frames =
        new FrameCache(
            4 * SEGMENT_BYTES,
            SEGMENT_BYTES,
            bytes -> {
              ByteBuffer buffer = ByteBuffer.allocate(bytes);
              memory.add(buffer);
              return buffer;
            });
    SSTableResources resources =
        new SSTableResources(
            files,
            new SortedArrayKeyIndexes(files),
            new BlockCache(0, frames),
            new KeyCache(0),
            new FilterMemory(1 << 20),
            TestFiles.smallBlocks().withCompression(compression),
            Runnable::run);
    table = TestFiles.write(resources, TestFiles.identity(1, ORDER), rows);
  }

  private List<Object> read(ReadContext context) throws IOException {
    AtomCursor cursor = table.row(key, PathRange.ALL, false, context);
    assertNotNull(cursor, "the row is here");
    return TestFiles.drain(cursor);
  }

  private List<Object> expected() throws IOException {
    RowState row = rows.get(key);
    assertNotNull(row, "the row was written");
    return TestFiles.drain(row.cursor(PathRange.ALL, false, ORDER));
  }

  @ParameterizedTest
  @EnumSource
  void aBlockThatCameFromTheDiskTwiceIsFoundWithoutIt(SSTableSettings.BlockCompression compression)
      throws IOException {
    write(compression);
    for (int i = 0; i < 2; i++) {
      assertThrows(NotCachedException.class, () -> read(ReadContext.cachedOnly()));
      ReadContext context = ReadContext.blocking();
      assertEquals(expected(), read(context));
      assertEquals(1, context.figures().blocksFromDisk());
    }
    ReadContext context = ReadContext.cachedOnly();
    assertEquals(expected(), read(context));
    assertEquals(1, context.figures().blockCacheHits());
    assertEquals(0, context.figures().blocksFromDisk());
  }

  @ParameterizedTest
  @EnumSource
  void aReadThatFillsNoCachesKeepsNothing(SSTableSettings.BlockCompression compression)
      throws IOException {
    write(compression);
    for (int i = 0; i < 3; i++) {
      assertEquals(expected(), read(ReadContext.passing()));
    }
    assertThrows(NotCachedException.class, () -> read(ReadContext.cachedOnly()));
  }

  @ParameterizedTest
  @EnumSource
  void aFrameThatWasDamagedInMemoryIsReadFromTheFileAgain(
      SSTableSettings.BlockCompression compression) throws IOException {
    write(compression);
    read(ReadContext.blocking());
    read(ReadContext.blocking());
    ByteBuffer first = memory.get(0);
    int length = BlockFrame.HEADER_BYTES + first.getInt(4);
    ByteBuffer sound = ByteBuffer.allocate(length).put(0, first, 0, length);
    for (int at = 0; at < length; at += at < 2 * BlockFrame.HEADER_BYTES ? 1 : 23) {
      Place place = find(sound);
      int index = place.at() + at;
      place.in().put(index, (byte) (place.in().get(index) ^ 0x10));
      assertThrows(NotCachedException.class, () -> read(ReadContext.cachedOnly()), "byte " + at);
      ReadContext context = ReadContext.blocking();
      assertEquals(expected(), read(context), "byte " + at);
      assertEquals(1, context.figures().blocksFromDisk());
    }
  }

  private record Place(ByteBuffer in, int at) {}

  /** Where the only sound copy of a frame is. */
  private Place find(ByteBuffer sound) {
    for (ByteBuffer buffer : memory) {
      for (int at = 0; at + sound.capacity() <= buffer.capacity(); at++) {
        if (buffer.getLong(at) == sound.getLong(0)
            && buffer.slice(at, sound.capacity()).equals(sound)) {
          return new Place(buffer, at);
        }
      }
    }
    throw new AssertionError("the frame is not in memory");
  }
}
