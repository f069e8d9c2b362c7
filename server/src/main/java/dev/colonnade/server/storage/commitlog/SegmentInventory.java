package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.AtomicFile;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records, outside of the log, which segments the log has: the segments show when one is missing
 * between two others, but not when one is missing before or behind them all.
 *
 * <p>The recorded range never exceeds the actual one: it grows after a segment has its name, and
 * shrinks before one is deleted. A missing or damaged file claims nothing, and is rewritten.
 *
 * <p>Thread-safe. Blocks.
 */
public final class SegmentInventory {

  private static final Logger LOG = LoggerFactory.getLogger(SegmentInventory.class);

  /** The file's name, in the root of the data directory. */
  public static final String NAME = "SEGMENTS";

  private static final String TEMPORARY = NAME + ".tmp";
  private static final FileFormat FORMAT = new FileFormat("list of segments", "CSEG", 1, 1);

  private final FileSystem files;
  private long oldest;
  private long newest;

  private SegmentInventory(FileSystem files, long oldest, long newest) {
    this.files = files;
    this.oldest = oldest;
    this.newest = newest;
  }

  /** Reads what the last run left. */
  public static SegmentInventory open(FileSystem files) throws IOException {
    try {
      ByteReader body = new ByteReader(AtomicFile.read(files, NAME, FORMAT));
      long oldest = body.readLong();
      long newest = body.readLong();
      body.expectEnd("list of segments");
      return new SegmentInventory(files, oldest, newest);
    } catch (FileNotFoundException none) {
      return new SegmentInventory(files, 0, 0);
    } catch (UnreadableFileException | CorruptDataException damaged) {
      LOG.warn(
          "{} is damaged: a missing first or last segment of the commit log cannot be detected. It"
              + " is being rewritten",
          files.describe(NAME),
          damaged);
      return new SegmentInventory(files, 0, 0);
    }
  }

  /**
   * Refuses a log in which a recorded segment is missing.
   *
   * @param log where the segments lie
   */
  synchronized void requireAll(FileSystem log, FoundSegments found) throws CorruptFileException {
    if (newest == 0) {
      return;
    }
    boolean none = found.chain().isEmpty();
    if (none || found.chain().get(0).number() > oldest) {
      throw missing(log, oldest);
    }
    if (found.greatestNumber() < newest) {
      throw missing(log, newest);
    }
  }

  private CorruptFileException missing(FileSystem log, long segment) {
    return new CorruptFileException(
        log.describe(SegmentFormat.name(segment)),
        0,
        "a segment of the commit log, as " + files.describe(NAME) + " says",
        "no file");
  }

  /** Records durably that these segments exist; older and newer ones may exist too. */
  synchronized void has(long first, long last) throws IOException {
    write(first, last);
  }

  /** Segments before this one are about to be deleted. */
  synchronized void begins(long first) throws IOException {
    if (first > oldest) {
      write(first, newest);
    }
  }

  /**
   * Records that this segment has its name, durably. If recording fails, its absence is not noticed
   * later.
   */
  synchronized void made(long segment) {
    try {
      write(oldest, segment);
    } catch (IOException e) {
      LOG.warn(
          "segment {} of the commit log could not be recorded in the list of segments: if it is"
              + " lost, no start will notice",
          segment,
          e);
    }
  }

  /** Segments after this one are about to be deleted. */
  synchronized void ends(long last) throws IOException {
    if (last < newest) {
      write(oldest, last);
    }
  }

  private void write(long first, long last) throws IOException {
    ByteWriter body = new ByteWriter(16);
    body.writeLong(first);
    body.writeLong(last);
    AtomicFile.write(files, "", TEMPORARY, NAME, FORMAT, body);
    oldest = first;
    newest = last;
  }
}
