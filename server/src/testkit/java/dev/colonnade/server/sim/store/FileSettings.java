package dev.colonnade.server.sim.store;

import dev.colonnade.server.storage.sstable.SSTableSettings;

/** Settings of data files with one changed that a node does not let its operator change. */
public final class FileSettings {

  private FileSettings() {}

  /** With another number of filter bits. */
  public static SSTableSettings withBloomBitsPerKey(SSTableSettings settings, int bits) {
    return new SSTableSettings(
        settings.blockBytes(),
        settings.indexBlockBytes(),
        settings.compression(),
        bits,
        settings.bloomMaxBytes(),
        settings.keyIndexMinRows());
  }

  /** With another minimum of rows for a key index. */
  public static SSTableSettings withKeyIndexMinRows(SSTableSettings settings, long rows) {
    return new SSTableSettings(
        settings.blockBytes(),
        settings.indexBlockBytes(),
        settings.compression(),
        settings.bloomBitsPerKey(),
        settings.bloomMaxBytes(),
        rows);
  }
}
