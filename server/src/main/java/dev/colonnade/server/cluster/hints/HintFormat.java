package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileFooter;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.codec.NumberedNames;
import java.util.Optional;

/** The layout of a segment and its place on disk, as {@code HintFormat.md} describes it. */
final class HintFormat {
  static final FileFormat SEGMENT = new FileFormat("segment of hints", "HINT", 1, 1);

  /** The directory of all hints, in the data directory. */
  static final String ROOT = "hints";

  /** The name of an unfinished file. */
  static final String TEMPORARY = "new.tmp";

  /** The suffix of a damaged segment's name. */
  static final String DAMAGED = ".damaged";

  static final int TARGET_BYTES_MAX = 255;

  private static final NumberedNames NAMES = new NumberedNames("hints-", ".seg");

  private HintFormat() {}

  static String directory(String targetId) {
    return ROOT + "/" + targetId;
  }

  static String path(String targetId, String name) {
    return directory(targetId) + "/" + name;
  }

  static String segmentPath(String targetId, long segment) {
    return path(targetId, name(segment));
  }

  static String name(long segment) {
    return NAMES.of(segment);
  }

  /** Returns the number of the segment with that name; empty for other files. */
  static Optional<Long> number(String name) {
    return NAMES.number(name);
  }

  /**
   * The content of a segment's header.
   *
   * @param number its own number, which no other segment of the node has
   * @param previous the number of the target's segment before it, 0 if there was none
   * @param previousEnd up to where that one must have valid frames
   * @param targetId the node that the hints are for
   */
  record HintSegmentHeader(long number, long previous, long previousEnd, String targetId) {
    void write(ByteWriter out) {
      ByteWriter body = new ByteWriter(64);
      body.writeLong(number);
      body.writeLong(previous);
      body.writeLong(previousEnd);
      body.writeText(targetId);
      FileHeader.write(out, SEGMENT, body.toByteArray());
    }

    static HintSegmentHeader read(FileHeader header, String path) throws CorruptFileException {
      try {
        ByteReader body = new ByteReader(header.body());
        HintSegmentHeader read =
            new HintSegmentHeader(
                body.readLong(),
                body.readLong(),
                body.readLong(),
                body.readText("id of a node", TARGET_BYTES_MAX));
        body.expectEnd("header of a segment of hints");
        return read;
      } catch (CorruptDataException e) {
        throw e.inFile(path, header.length() - 4L - header.body().length);
      }
    }
  }

  /**
   * The content at the end of a segment that was closed in order.
   *
   * @param hints how many it has
   * @param oldestMicros when the oldest of them was made
   */
  record Summary(long hints, long oldestMicros) {
    static final Summary EMPTY = new Summary(0, 0);

    Summary with(long createdMicros) {
      return new Summary(
          hints + 1, hints == 0 ? createdMicros : Math.min(oldestMicros, createdMicros));
    }

    void write(ByteWriter out) {
      ByteWriter body = new ByteWriter(16);
      body.writeLong(hints);
      body.writeLong(oldestMicros);
      FileFooter.write(out, SEGMENT, body.toByteArray());
    }

    static Summary read(FileFooter footer, String path) throws CorruptFileException {
      try {
        ByteReader body = new ByteReader(footer.body());
        Summary read = new Summary(body.readLong(), body.readLong());
        body.expectEnd("footer of a segment of hints");
        return read;
      } catch (CorruptDataException e) {
        throw e.inFile(path, footer.offset());
      }
    }
  }
}
