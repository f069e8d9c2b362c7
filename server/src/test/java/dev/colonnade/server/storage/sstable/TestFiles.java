package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SortedArrayKeyIndexes;
import dev.colonnade.server.sim.store.FileSettings;
import dev.colonnade.server.storage.cache.BlockCache;
import dev.colonnade.server.storage.cache.KeyCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** A place for data files in memory, and the shortest way to fill it. */
public final class TestFiles {
  public static final FamilyId FAMILY = new FamilyId(0x0123456789abcdefL, 0xfedcba9876543210L);

  private TestFiles() {}

  /** Small blocks, so that a few rows make many. */
  public static SSTableSettings smallBlocks() {
    return FileSettings.withKeyIndexMinRows(
        SSTableSettings.DEFAULT.withBlockBytes(1 << 10, 1 << 10), 16);
  }

  public static SSTableResources resources(SimFileSystem files, SSTableSettings settings) {
    return resources(files, new SortedArrayKeyIndexes(files), settings);
  }

  public static SSTableResources resources(
      FileSystem files, KeyIndexes keyIndexes, SSTableSettings settings) {
    return new SSTableResources(
        files,
        keyIndexes,
        new BlockCache(64 << 20),
        new KeyCache(10_000),
        new FilterMemory(64 << 20),
        settings,
        Runnable::run);
  }

  /** With caches so small that thousands of these can be made. */
  public static SSTableResources smallResources(SimFileSystem files, SSTableSettings settings) {
    return new SSTableResources(
        files,
        new SortedArrayKeyIndexes(files),
        new BlockCache(1 << 14),
        new KeyCache(4),
        new FilterMemory(64 << 20),
        settings,
        Runnable::run);
  }

  public static SSTableIdentity identity(long generation, PathOrder order) {
    return new SSTableIdentity("f", generation, FAMILY, "TestPartitioner", order);
  }

  public static SSTable write(
      SSTableResources resources, SSTableIdentity identity, SortedMap<RowKey, RowState> rows)
      throws IOException {
    resources.files().createDirectories("f");
    try (SSTableWriter writer = SSTableWriter.create(resources, identity)) {
      for (Map.Entry<RowKey, RowState> row : rows.entrySet()) {
        AtomCursor atoms = row.getValue().cursor(PathRange.ALL, false, identity.order());
        writer.startRow(row.getKey(), atoms.rowDeletion(), atoms.open());
        for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
          writer.add(atom);
        }
        writer.endRow();
      }
      return writer.finish();
    }
  }

  /** Everything that a cursor says, to be compared. */
  public static List<Object> drain(AtomCursor cursor) throws IOException {
    List<Object> all = new ArrayList<>();
    all.add(cursor.rowDeletion());
    all.add(cursor.open());
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      all.add(atom);
    }
    return all;
  }
}
