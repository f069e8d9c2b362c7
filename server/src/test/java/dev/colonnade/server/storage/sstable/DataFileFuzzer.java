package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.FuzzBytes;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Whatever a component of a data file holds, the file is opened and read, or refused. Derived
 * components are removed when the rows are tested, so that they are rebuilt from the rows.
 */
public final class DataFileFuzzer {

  static final PathOrder ORDER = TestRows.STANDARD;

  private DataFileFuzzer() {}

  /** One input: the first byte says whether checksums are made right, the rest is the data file. */
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    byte[] file = FuzzBytes.file(data);
    SSTableIdentity identity = TestFiles.identity(1, ORDER);
    if (FuzzBytes.wantsChecksums(data)) {
      mend(file, identity, Component.DATA);
    }
    SimFileSystem disk = new SimFileSystem();
    disk.createDirectories("f");
    disk.overwrite(identity.path(Component.DATA), file);
    try {
      read(SSTable.open(TestFiles.smallResources(disk, TestFiles.smallBlocks()), identity));
    } catch (UnreadableFileException | MismatchedFileException refused) {
      return;
    }
  }

  static void read(SSTable table) throws IOException {
    try {
      table.openKeyIndex();
      RowKeyCursor keys = table.keys(table.firstKey(), ReadContext.blocking());
      for (RowKey key = keys.next(); key != null; key = keys.next()) {
        AtomCursor forwards = table.row(key, PathRange.ALL, false, ReadContext.blocking());
        AtomCursor backwards = table.row(key, PathRange.ALL, true, ReadContext.blocking());
        if (forwards != null) {
          TestFiles.drain(forwards);
        }
        if (backwards != null) {
          TestFiles.drain(backwards);
        }
      }
      table.verify();
    } finally {
      table.release();
    }
  }

  static void mend(byte[] file, SSTableIdentity identity, Component component) {
    int header = FuzzBytes.mendHeader(file);
    int end = FuzzBytes.mendFooter(file, header);
    int at = header;
    ByteBuffer frames = ByteBuffer.wrap(file);
    while (at > 0 && at <= end - BlockFrame.HEADER_BYTES) {
      int stored = frames.getInt(at + 4);
      if (stored < 0 || stored > end - at - BlockFrame.HEADER_BYTES) {
        return;
      }
      int length = BlockFrame.HEADER_BYTES + stored;
      byte[] frame = java.util.Arrays.copyOfRange(file, at, at + length);
      int checksum = BlockFrame.checksum(identity, component, at, frame, length);
      frames.putInt(at + BlockFrame.CHECKSUM_AT, checksum);
      at += length;
    }
  }
}
