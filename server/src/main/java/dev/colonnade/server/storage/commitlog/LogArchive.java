package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the complete segments of a node's log are kept, so that a snapshot can be restored up to a
 * later moment: a directory with the node's id for a name, in which they have their own names. A
 * segment is there whole or not at all. Nothing is ever deleted there.
 *
 * <p>One thread at a time calls {@link #take} and {@link #gap}; both may block. Figures may be read
 * by any thread.
 */
public final class LogArchive {
  private static final Logger LOG = LoggerFactory.getLogger(LogArchive.class);

  private static final int COMPARED_BYTES = 1 << 16;

  private final FileSystem archive;
  private final String node;
  private final long waitingBytesMax;
  private final LongAdder segments = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder gaps = new LongAdder();

  /** Whether the last attempt failed: only the first failure in a row is logged. */
  private boolean failing;

  /**
   * Describes an archive; it is created with its first segment.
   *
   * @param archive rooted at the directory of all nodes that archive there
   * @param node its id, 32 hexadecimal digits
   * @param waitingBytesMax how much of the log may be kept only because it is not archived yet; if
   *     there is more, the oldest segments are deleted unarchived
   */
  public LogArchive(FileSystem archive, String node, long waitingBytesMax) {
    this.archive = archive;
    this.node = node;
    this.waitingBytesMax = waitingBytesMax;
  }

  long waitingBytesMax() {
    return waitingBytesMax;
  }

  /**
   * Archives a segment that is complete and durable.
   *
   * @return false if that failed; it is logged and counted, and can be tried again
   */
  boolean take(FileSystem log, long segment) {
    String name = SegmentFormat.name(segment);
    String path = node + "/" + name;
    try {
      makeDirectory();
      if (archive.exists(path)) {
        // By an earlier run, which did not come to delete it.
        requireSame(log, name, path);
      } else if (!log.linkInto(archive, name, path)) {
        SegmentCopy.into(log, name, archive, node);
      }
      archive.syncDirectory(node);
      segments.increment();
      if (failing) {
        LOG.info("segments of the commit log can be archived again");
        failing = false;
      }
      return true;
    } catch (IOException e) {
      failures.increment();
      if (!failing) {
        LOG.error(
            "segment {} of the commit log cannot be archived in {}; it is tried again each second,"
                + " and kept meanwhile, up to {} bytes of the log",
            name,
            archive.describe(node),
            waitingBytesMax,
            e);
        failing = true;
      }
      return false;
    }
  }

  /** Says that a segment is deleted although it was not archived. */
  void gap(long segment) {
    gaps.increment();
    LOG.error(
        "segment {} of the commit log is deleted without being archived, because more than {} bytes"
            + " wait for that: a restore by the log ends before it. Take a snapshot",
        SegmentFormat.name(segment),
        waitingBytesMax);
  }

  LogFigures.Archive figures(long waitingBytes) {
    return new LogFigures.Archive(segments.sum(), failures.sum(), gaps.sum(), waitingBytes);
  }

  private void makeDirectory() throws IOException {
    if (!archive.exists(node)) {
      archive.createDirectories(node);
      archive.syncDirectory("");
    }
  }

  /**
   * Refuses another segment of the same name, as of a node whose data directory was put back to an
   * earlier state. A seal at the end may have been lost here or there.
   */
  private void requireSame(FileSystem log, String name, String path) throws IOException {
    try (ReadableFile mine = log.open(name);
        ReadableFile there = archive.open(path)) {
      long common = Math.min(mine.size(), there.size()) - Frames.MARK_BYTES;
      int bytes = (int) Math.min(COMPARED_BYTES, Math.max(0, common));
      if (!beginning(mine, bytes).equals(beginning(there, bytes))) {
        throw new IOException(
            archive.describe(path)
                + " is another segment of that number: move it away, or archive elsewhere");
      }
    }
  }

  private static ByteBuffer beginning(ReadableFile file, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    file.read(0, buffer);
    return buffer.flip();
  }
}
