package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file open for reading. */
final class SimReadableFile extends SimFile implements ReadableFile {
  private final DiskFile file;

  SimReadableFile(SimFileSystem files, String path, DiskFile file) {
    super(files, path);
    this.file = file;
  }

  @Override
  public long size() throws IOException {
    synchronized (files()) {
      checkOpen();
      return file.size();
    }
  }

  /** What is in memory is handed out by the system, whatever the plan has for the disk. */
  @Override
  public boolean readIfInMemory(long position, ByteBuffer target) {
    synchronized (files()) {
      int length = target.remaining();
      if (!isOpen() || !files().keepsPages() || position + length > file.size()) {
        return false;
      }
      byte[] bytes = new byte[length];
      file.read((int) position, bytes, 0, length);
      target.put(bytes);
      return true;
    }
  }

  @Override
  public void read(long position, ByteBuffer target) throws IOException {
    synchronized (files()) {
      checkOpen();
      int length = target.remaining();
      if (position < 0) {
        throw new IllegalArgumentException("position " + position);
      }
      if (position + length > file.size()) {
        throw new EOFException(
            DiskImage.describe(path())
                + " ends at byte "
                + file.size()
                + ", not "
                + (position + length));
      }
      FileFault fault = files().begin(FileOperation.READ, path());
      if (fault != null && SimFileSystem.isFailure(fault)) {
        throw SimFileSystem.failure(fault, FileOperation.READ, path());
      }
      byte[] bytes = new byte[length];
      file.read((int) position, bytes, 0, length);
      if (fault == FileFault.FLIPPED_BIT && length > 0) {
        bytes[length / 2] ^= 1;
      }
      target.put(bytes);
    }
  }
}
