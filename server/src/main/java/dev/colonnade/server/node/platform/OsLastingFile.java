package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.node.platform.OpenFiles.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file that is kept open for long, and has descriptors while {@link OpenFiles} has room for it. A
 * read that may wait opens the file again; one that may not finds nothing then.
 */
final class OsLastingFile implements ReadableFile {
  private final OpenFiles table;
  private final Path path;
  private volatile @Nullable OpenFile current;

  /** Guarded by this. */
  private boolean closed;

  private OsLastingFile(OpenFiles table, Path path) {
    this.table = table;
    this.path = path;
  }

  /** Opens a file. */
  static OsLastingFile open(OpenFiles table, Path path) throws IOException {
    OsLastingFile file = new OsLastingFile(table, path);
    file.use().release();
    return file;
  }

  @Override
  public long size() throws IOException {
    OpenFile file = use();
    try {
      return file.channel().size();
    } finally {
      file.release();
    }
  }

  @Override
  public void read(long position, ByteBuffer target) throws IOException {
    OpenFile file = use();
    try {
      OsReadableFile.read(file.channel(), path.toString(), position, target);
    } finally {
      file.release();
    }
  }

  @Override
  public boolean readIfInMemory(long position, ByteBuffer target) {
    OpenFile file = current;
    if (file == null || !file.retain()) {
      return false;
    }
    try {
      PageCacheReader cached = file.cached();
      return cached != null && cached.read(position, target);
    } finally {
      file.release();
    }
  }

  private OpenFile use() throws IOException {
    OpenFile file = current;
    return file != null && file.retain() ? file : useAgain();
  }

  private synchronized OpenFile useAgain() throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    OpenFile file = current;
    if (file != null && file.retain()) {
      return file;
    }
    OpenFile again = table.open(path);
    current = again;
    return again;
  }

  @Override
  public synchronized void close() {
    closed = true;
    OpenFile file = current;
    current = null;
    if (file != null) {
      table.close(file);
    }
  }
}
