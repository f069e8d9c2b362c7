package dev.colonnade.server.commitlog;

import dev.colonnade.server.codec.AtomicFile;
import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.CorruptFileException;
import dev.colonnade.server.codec.FileFormat;
import dev.colonnade.server.codec.UnreadableFileException;
import dev.colonnade.server.env.FileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which segments the log has, kept outside of it: the segments tell of one that is missing between
 * two others, and cannot tell of one that is missing before or behind them all.
 *
 * <p>The range only ever says less than there is: it grows after a segment has its name, and
 * shrinks before one is deleted. A file that is missing or damaged says nothing, and is written
 * anew.
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

  /** Reads what the last run has left. */
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
          "{} is damaged: whether the first or last segments of the commit log are missing cannot"
              + " be told. It is written anew",
          files.describe(NAME),
          damaged);
      return new SegmentInventory(files, 0, 0);
    }
  }

  /**
   * Refuses a log that does not have all of them.
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

  /** There are these segments, durably; older and newer ones may be there too. */
  synchronized void has(long first, long last) throws IOException {
    write(first, last);
  }

  /** Segments before this one are about to be deleted. */
  synchronized void begins(long first) throws IOException {
    if (first > oldest) {
      write(first, newest);
    }
  }

  /** This segment has its name, durably. One that cannot be noted is not missed. */
  synchronized void made(long segment) {
    try {
      write(oldest, segment);
    } catch (IOException e) {
      LOG.warn(
          "that the commit log has segment {} was not noted: should it be lost, no start will tell",
          segment,
          e);
    }
  }

  /** Segments behind this one are about to be deleted. */
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
