package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.NoBufferException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file read by position, over a channel. */
final class OsReadableFile implements ReadableFile {
  private final FileChannel channel;
  private final String name;

  private OsReadableFile(FileChannel channel, String name) {
    this.channel = channel;
    this.name = name;
  }

  /** Opens a file. */
  static OsReadableFile open(Path path) throws IOException {
    return new OsReadableFile(channel(path), path.toString());
  }

  /** Opens a file that is no link. */
  static FileChannel channel(Path path) throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public void read(long position, ByteBuffer target) throws IOException {
    read(channel, name, position, target);
  }

  static void read(FileChannel channel, String name, long position, ByteBuffer target)
      throws IOException {
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
    return false;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
