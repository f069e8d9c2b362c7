package dev.colonnade.server.sim;

import java.io.Closeable;
import java.io.IOException;

/** A file of a {@link SimFileSystem} that is open. */
abstract sealed class SimFile implements Closeable permits SimReadableFile, SimWritableFile {
  private final SimFileSystem files;
  private final String path;
  private boolean closed;

  SimFile(SimFileSystem files, String path) {
    this.files = files;
    this.path = path;
  }

  final SimFileSystem files() {
    return files;
  }

  final String path() {
    return path;
  }

  /** The process that had it open is gone. */
  final void forget() {
    closed = true;
  }

  @Override
  public final void close() {
    synchronized (files) {
      if (!closed) {
        closed = true;
        files.closed(this);
      }
    }
  }

  /** Whether the process lives and has not closed it. */
  final boolean isOpen() {
    return !closed && files.hasPower();
  }

  final void checkOpen() throws IOException {
    files.checkPower();
    if (closed) {
      throw new IOException(DiskImage.describe(path) + " is closed");
    }
  }
}
