package dev.colonnade.it.abuse;

import dev.colonnade.it.Folders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * How long this machine takes to write a MiB to a file without waiting for the disk: the floor of a
 * small write that comes just behind a large one in the commit log. A virtual machine whose host
 * gives it memory page by page takes a hundred times as long for pages that it did not have before
 * as for those that it has.
 *
 * @param fresh nanoseconds for each MiB of a new file
 * @param again nanoseconds for each MiB of the same file, written once more
 */
record PageCacheFloor(Histogram fresh, Histogram again) {

  private static final int PIECE_BYTES = 1 << 20;
  private static final int PIECES = 256;

  static PageCacheFloor measure() throws IOException {
    Path folder = Files.createTempDirectory("colonnade-abuse-floor");
    try (FileChannel file =
        FileChannel.open(
            folder.resolve("floor"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
      return new PageCacheFloor(write(file, piece), write(file, piece));
    } finally {
      Folders.delete(folder);
    }
  }

  private static Histogram write(FileChannel file, ByteBuffer piece) throws IOException {
    Histogram nanos = new Histogram(3);
    for (long i = 0; i < PIECES; i++) {
      piece.clear();
      long begin = System.nanoTime();
      long at = i * PIECE_BYTES;
      while (piece.hasRemaining()) {
        at += file.write(piece, at);
      }
      nanos.recordValue(System.nanoTime() - begin);
    }
    return nanos;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "writing 1 MiB to a new file takes %.2f ms (median; 99th percentile %.1f), to one in the"
            + " page cache %.2f (%.1f)",
        fresh.getValueAtPercentile(50) / 1e6,
        fresh.getValueAtPercentile(99) / 1e6,
        again.getValueAtPercentile(50) / 1e6,
        again.getValueAtPercentile(99) / 1e6);
  }
}
