package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.LoadRow;
import dev.colonnade.admin.v1.LoadRowsChunk;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chunks of a load. */
final class LoadFileTest {

  private static final int CHUNK_BYTES = 1_000;
  private static final int CHUNK_BYTES_MAX = 3_000;

  @TempDir private Path directory;

  /** A longest column comes after any others, in its row or in the next one. */
  @Test
  void noChunkIsLongerThanANodeTakes() throws Exception {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Path path = directory.resolve("sorted" + seed);
      boolean isSuper = random.nextBoolean();
      long columns = 0;
      List<LoadFile.Part> parts;
      try (LoadFile.Writer writer =
          new LoadFile.Writer(path, token -> token[0] / 8, CHUNK_BYTES, CHUNK_BYTES_MAX, 10_000)) {
        for (byte key = 0; key < 20; key++) {
          int count = 1 + random.nextInt(8);
          for (int column = 0; column < count; column++, columns++) {
            writer.take(entry(key, (byte) column, isSuper, random));
          }
        }
        parts = writer.finish();
      }
      long found = 0;
      long rows = 0;
      try (FileChannel file = LoadFile.open(path)) {
        for (LoadFile.Part part : parts) {
          LoadFile.Chunks chunks = new LoadFile.Chunks(file, part);
          for (LoadFile.Chunk chunk = chunks.next(); chunk != null; chunk = chunks.next()) {
            assertTrue(
                chunk.rows().size() <= CHUNK_BYTES_MAX,
                "seed " + seed + ": a chunk of " + chunk.rows().size() + " bytes");
            for (LoadRow row : LoadRowsChunk.parseFrom(chunk.rows()).getRowsList()) {
              rows += row.getContinues() ? 0 : 1;
              found += row.getColumnsCount();
              found += row.getSuperColumnsList().stream().mapToInt(s -> s.getColumnsCount()).sum();
            }
          }
        }
      }
      assertEquals(columns, found, "seed " + seed);
      assertEquals(20, rows, "seed " + seed);
    }
  }

  private static LoadEntry entry(byte key, byte column, boolean isSuper, Random random) {
    byte[] name = {column};
    byte[] longKey = new byte[1 + key * 20];
    longKey[0] = key;
    byte @Nullable [] sub = isSuper ? name : null;
    byte[] top = isSuper ? new byte[] {(byte) (column / 3)} : name;
    LoadEntry empty = new LoadEntry(new byte[] {key}, longKey, top, sub, new byte[0], 1, 0);
    int longest = (int) (CHUNK_BYTES_MAX - empty.loadBytes());
    int length = random.nextInt(3) == 0 ? longest : random.nextInt(CHUNK_BYTES / 2);
    return new LoadEntry(new byte[] {key}, longKey, top, sub, new byte[length], 1, 0);
  }
}
