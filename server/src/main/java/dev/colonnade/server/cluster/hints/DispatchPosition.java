package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.AtomicFile;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.env.FileSystem;
import java.io.IOException;

/**
 * The position up to which a node's hints were delivered. It may lag behind: delivering a hint
 * twice does no harm.
 *
 * @param segment the segment's number; earlier segments are deleted
 * @param offset of the first undelivered hint in it
 * @param hints how many come before that
 */
record DispatchPosition(long segment, long offset, long hints) {
  static final String NAME = "delivered";
  static final DispatchPosition START = new DispatchPosition(0, 0, 0);

  private static final FileFormat FORMAT = new FileFormat("delivered position", "HPOS", 1, 1);

  static DispatchPosition read(FileSystem files, String targetId) throws IOException {
    String path = HintFormat.path(targetId, NAME);
    if (!files.exists(path)) {
      return START;
    }
    try {
      ByteReader body = new ByteReader(AtomicFile.read(files, path, FORMAT));
      DispatchPosition read =
          new DispatchPosition(body.readLong(), body.readLong(), body.readLong());
      body.expectEnd("delivered position");
      return read;
    } catch (CorruptDataException e) {
      throw e.inFile(files.describe(path), 14);
    }
  }

  void write(FileSystem files, String targetId) throws IOException {
    ByteWriter body = new ByteWriter(24);
    body.writeLong(segment);
    body.writeLong(offset);
    body.writeLong(hints);
    AtomicFile.write(
        files, HintFormat.directory(targetId), HintFormat.TEMPORARY, NAME, FORMAT, body);
  }
}
