package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.FileSystem.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A file open for writing. */
final class SimWritableFile extends SimFile implements WritableFile {
  private final DiskFile file;

  SimWritableFile(SimFileSystem files, String path, DiskFile file) {
    super(files, path);
    this.file = file;
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    synchronized (files()) {
      checkOpen();
      byte[] bytes = new byte[source.remaining()];
      source.get(bytes);
      FileFault fault = files().begin(FileOperation.WRITE, path());
      long room = files().usableBytes();
      if (fault == null && bytes.length > room) {
        file.append(Arrays.copyOf(bytes, (int) room));
        throw SimFileSystem.failure(FileFault.SHORT_WRITE, FileOperation.WRITE, path());
      }
      if (fault == FileFault.ERROR || fault == FileFault.SHORT_WRITE) {
        file.append(Arrays.copyOf(bytes, bytes.length / 2));
      }
      if (fault != null && SimFileSystem.isFailure(fault)) {
        throw SimFileSystem.failure(fault, FileOperation.WRITE, path());
      }
      file.append(fault == null ? bytes : damaged(bytes, fault));
      files().end(FileOperation.WRITE);
    }
  }

  private static byte[] damaged(byte[] bytes, FileFault fault) {
    byte[] result = bytes.clone();
    switch (fault) {
      case FLIPPED_BIT -> {
        if (bytes.length > 0) {
          result[bytes.length / 2] ^= 1;
        }
      }
      case LOST_WRITE -> Arrays.fill(result, (byte) 0);
      case MISDIRECTED_WRITE -> {
        int half = bytes.length / 2;
        System.arraycopy(bytes, 0, result, bytes.length - half, half);
        System.arraycopy(bytes, half, result, 0, bytes.length - half);
      }
      default -> throw new IllegalArgumentException(fault + " is nothing that a write can have");
    }
    return result;
  }

  @Override
  public long size() {
    synchronized (files()) {
      return file.size();
    }
  }

  @Override
  public void truncate(long size) throws IOException {
    synchronized (files()) {
      checkOpen();
      if (size < 0 || size > file.size()) {
        throw new IllegalArgumentException(
            "cannot cut a file of " + file.size() + " bytes to " + size);
      }
      FileFault fault = files().begin(FileOperation.TRUNCATE, path());
      if (fault != null && SimFileSystem.isFailure(fault)) {
        throw SimFileSystem.failure(fault, FileOperation.TRUNCATE, path());
      }
      file.truncate((int) size);
      files().end(FileOperation.TRUNCATE);
    }
  }

  @Override
  public void sync() throws IOException {
    synchronized (files()) {
      checkOpen();
      if (file.hasFailedSync()) {
        files().noteRetriedSync(path());
      }
      FileFault fault = files().begin(FileOperation.SYNC, path());
      if (fault != null && SimFileSystem.isFailure(fault)) {
        file.failSync();
        throw SimFileSystem.failure(fault, FileOperation.SYNC, path());
      }
      if (fault != FileFault.LOST_SYNC) {
        file.sync();
      }
      files().end(FileOperation.SYNC);
    }
  }
}
