package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.KeyIndexes.KeyIndex;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the key index of a data file, which is only safe if its bytes are those that were written.
 */
final class KeyIndexFile {
  private static final Logger LOG = LoggerFactory.getLogger(SSTable.class);

  private KeyIndexFile() {}

  /** Opens one that was just written, and read back for its checksum. */
  static @Nullable KeyIndex openUnchecked(
      SSTableResources resources, SSTableIdentity identity, MetaFile meta) throws IOException {
    return meta.keyEntries() == 0
        ? null
        : resources.keyIndexes().open(identity.path(Component.KEYS), meta.keyEntries());
  }

  static @Nullable KeyIndex openOrRebuild(SSTable table, SSTableResources resources)
      throws IOException {
    SSTableIdentity identity = table.identity();
    MetaFile meta = table.components().meta();
    if (meta.keyEntries() == 0) {
      return null;
    }
    if (isIntact(resources.files(), identity, meta)) {
      return openUnchecked(resources, identity, meta);
    }
    LOG.warn(
        "the key index of {} is missing or damaged and is being rebuilt; its rows are found by the"
            + " sparse index meanwhile",
        table.components().data().path());
    return openUnchecked(resources, identity, rebuild(table, resources));
  }

  private static boolean isIntact(FileSystem files, SSTableIdentity identity, MetaFile meta)
      throws IOException {
    try {
      return ComponentFiles.fingerprint(files, identity.path(Component.KEYS))
          .equals(new ComponentFiles.Fingerprint(meta.keyBytes(), meta.keyChecksum()));
    } catch (FileNotFoundException missing) {
      return false;
    }
  }

  private static MetaFile rebuild(SSTable table, SSTableResources resources) throws IOException {
    SSTableIdentity identity = table.identity();
    FileSystem files = resources.files();
    OpenComponents components = table.components();
    ComponentFiles.deleteTemporaries(files, identity);
    ComponentFiles.deleteIfThere(files, identity.path(Component.KEYS));
    try (RowIndexSpool positions =
        new RowIndexSpool(files, identity.temporaryPath(Component.SPOOL))) {
      ComponentRebuilder.positions(
          new BlockWalk(components.data(), components.footer()), positions);
      MetaFile meta = ComponentWriter.writeKeys(resources, identity, positions, components.meta());
      meta.write(resources, identity);
      if (meta.keyEntries() > 0) {
        ComponentFiles.publish(files, identity, Component.KEYS);
      }
      ComponentFiles.publish(files, identity, Component.META);
      files.syncDirectory(identity.directory());
      return meta;
    }
  }
}
