package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.NoBufferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A file written at its end, over a channel. */
final class OsWritableFile implements WritableFile {
  /** Java keeps an off-heap copy of the largest write for each thread; this bounds it. */
  static final int CHUNK_BYTES = 1 << 20;

  private final FileChannel channel;
  private final Path path;
  private long size;

  OsWritableFile(FileChannel channel, Path path, long size) {
    this.channel = channel;
    this.path = path;
    this.size = size;
  }

  static OsWritableFile atEnd(FileChannel channel, Path path) throws IOException {
    try {
      long size = channel.size();
      channel.position(size);
      return new OsWritableFile(channel, path, size);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    int limit = source.limit();
    try {
      while (source.position() < limit) {
        source.limit(Math.min(limit, source.position() + CHUNK_BYTES));
        size += channel.write(source);
        StagePool.moved();
      }
    } catch (IOException e) {
      // Bytes left by a failed write count, so that they can be cut off.
      size = channel.isOpen() ? channel.size() : size;
      throw NoSpace.translate(e, path, limit - source.position());
    } catch (OutOfMemoryError e) {
      if (!Errors.isOverload(e)) {
        throw e;
      }
      throw new NoBufferException(path.toString(), e);
    } finally {
      source.limit(limit);
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void truncate(long newSize) throws IOException {
    if (newSize < 0 || newSize > size) {
      throw new IllegalArgumentException("cannot cut a file of " + size + " bytes to " + newSize);
    }
    channel.truncate(newSize);
    channel.position(newSize);
    size = newSize;
  }

  @Override
  public void sync() throws IOException {
    // Syncs the data and the size needed to read it; access times can wait.
    channel.force(false);
    StagePool.moved();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
