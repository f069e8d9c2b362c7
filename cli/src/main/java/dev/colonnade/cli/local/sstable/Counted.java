package dev.colonnade.cli.local.sstable;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts the bytes that are read. */
final class Counted extends FilterInputStream {

  private long bytes;

  Counted(InputStream in) {
    super(in);
  }

  /** Bytes read so far. */
  long bytes() {
    return bytes;
  }

  @Override
  public int read() throws IOException {
    int read = super.read();
    bytes += read < 0 ? 0 : 1;
    return read;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int read = super.read(target, offset, length);
    bytes += Math.max(0, read);
    return read;
  }
}
