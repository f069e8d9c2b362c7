package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.sstable.SSTableResources;
import java.io.Closeable;
import java.io.IOException;

/**
 * The parts that opening a store creates.
 *
 * @param lock keeps other processes off the directory
 * @param partitioner the name that file headers carry
 */
record StoreParts(
    Closeable lock,
    Manifest manifest,
    CommitLog log,
    SSTableResources resources,
    FileCloser closer,
    String partitioner) {

  /**
   * Closes all of them, and the stores of families. Blocks.
   *
   * @throws IOException if the log could not be made durable
   */
  @SuppressWarnings("try") // The resources are there to be closed; nothing else uses them.
  void release(ColumnFamilyStores families) throws IOException {
    // In reverse order; each is closed whatever the others do, the lock at last.
    try (Closeable held = lock;
        Closeable current = manifest;
        Closeable files = closer::closeAll;
        Closeable stores = () -> families.all().forEach(ColumnFamilyStore::close)) {
      log.close();
    }
  }
}
