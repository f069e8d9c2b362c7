package dev.colonnade.server.node.offline;

import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.storage.cache.BlockCache;
import dev.colonnade.server.storage.cache.KeyCache;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.sstable.FilterMemory;
import dev.colonnade.server.storage.sstable.SSTableResources;
import dev.colonnade.server.storage.sstable.SSTableSettings;
import java.io.IOException;

/** What tools need to write data files and the manifest. */
final class OfflineResources {

  private static final long MANIFEST_REWRITE_BYTES = 1 << 20;
  private static final int CACHE_BYTES = 1 << 16;

  private OfflineResources() {}

  /** Returns what one new file needs; its caches are as small as they can be. */
  static SSTableResources of(OsFileSystem files, KeyIndexes keyIndexes) {
    return new SSTableResources(
        files,
        keyIndexes,
        new BlockCache(CACHE_BYTES),
        new KeyCache(0),
        new FilterMemory(SSTableSettings.DEFAULT.bloomMaxBytes()),
        SSTableSettings.DEFAULT,
        Runnable::run);
  }

  /** Opens the manifest of the node whose directory this is. */
  static Manifest manifest(OsFileSystem files) throws IOException {
    return Manifest.open(files, Manifest.readIdentity(files), MANIFEST_REWRITE_BYTES);
  }
}
