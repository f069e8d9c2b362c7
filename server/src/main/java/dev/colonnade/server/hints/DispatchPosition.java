package dev.colonnade.server.hints;

import dev.colonnade.server.codec.AtomicFile;
import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.FileFormat;
import dev.colonnade.server.env.FileSystem;
import java.io.IOException;

/**
 * Up to where the hints of a node were delivered. It may lag behind: a hint that is delivered twice
 * does what it did the first time.
 *
 * @param segment in which segment; those before it are gone
 * @param offset where in it the first hint is that was not delivered
 * @param hints how many before that
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
