package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.storage.sstable.MismatchedFileException;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableResources;
import java.io.FileNotFoundException;
import java.io.IOException;

/**
 * Where damaged data files lie: beside the live ones, under names that end in {@value #SUFFIX}. (A
 * rename into another directory is two changes on disk, and a crash between them could lose the
 * file.) The node never deletes a file with such a name. Blocks.
 */
final class QuarantineFiles {

  static final String SUFFIX = ".quarantined";

  private QuarantineFiles() {}

  /** Returns where a live file goes when it is damaged. */
  static SSTableIdentity placeOf(SSTableIdentity live) {
    return live.withSuffix(SUFFIX);
  }

  /**
   * Moves a file into the quarantine that is recorded already; after a crash, the rest of it.
   * Durable when this returns.
   */
  static void receive(FileSystem files, SSTableIdentity live) throws IOException {
    live.rename(files, placeOf(live));
  }

  /**
   * Whether the file lies there and is sound to the last byte, because the damage was elsewhere or
   * the file has been restored.
   *
   * @throws IOException if the disk fails
   */
  static boolean isSound(SSTableResources resources, SSTableIdentity place) throws IOException {
    SSTable table;
    try {
      table = SSTable.open(resources, place);
    } catch (UnreadableFileException | FileNotFoundException | MismatchedFileException damaged) {
      return false;
    }
    try {
      table.verify();
      return true;
    } catch (UnreadableFileException damaged) {
      return false;
    } finally {
      table.release();
    }
  }

  /** Moves a sound file back among the live ones; the caller has to record that afterwards. */
  static void giveBack(FileSystem files, SSTableIdentity live) throws IOException {
    placeOf(live).rename(files, live);
  }
}
