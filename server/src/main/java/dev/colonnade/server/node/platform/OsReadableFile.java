package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.NoBufferException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/** A file read by position, over a channel. */
final class OsReadableFile implements ReadableFile {
  private final FileChannel channel;
  private final String name;
  private final @Nullable PageCacheReader cached;

  /**
   * A file that is open.
   *
   * @param cached the same file, for reads that must not wait; null if the system has none
   */
  OsReadableFile(FileChannel channel, String name, @Nullable PageCacheReader cached) {
    this.channel = channel;
    this.name = name;
    this.cached = cached;
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public void read(long position, ByteBuffer target) throws IOException {
    int limit = target.limit();
    long at = position;
    try {
      while (target.position() < limit) {
        target.limit(Math.min(limit, target.position() + OsWritableFile.CHUNK_BYTES));
        int count = channel.read(target, at);
        if (count < 0) {
          throw new EOFException(
              name + " ends at byte " + channel.size() + "; byte " + at + " was requested");
        }
        at += count;
        StagePool.moved();
      }
    } catch (OutOfMemoryError e) {
      if (!Errors.isOverload(e)) {
        throw e;
      }
      throw new NoBufferException(name, e);
    } finally {
      target.limit(limit);
    }
  }

  @Override
  public boolean readIfInMemory(long position, ByteBuffer target) {
    return cached != null && cached.read(position, target);
  }

  @Override
  public void close() throws IOException {
    // Closing a channel again does nothing; a descriptor must be closed once.
    boolean first = channel.isOpen();
    channel.close();
    if (first && cached != null) {
      cached.close();
    }
  }
}
