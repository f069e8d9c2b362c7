package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.codec.NumberedNames;
import java.util.Optional;

/** The layout of a segment, as {@code CommitLogFormat.md} describes it. */
final class SegmentFormat {
  static final FileFormat FORMAT = new FileFormat("commit log segment", "CLOG", 1, 2);

  /** The name of an unfinished segment; it never has a record. */
  static final String NEW_SEGMENT = "segment.tmp";

  private static final NumberedNames NAMES = new NumberedNames("segment-", ".log");

  private SegmentFormat() {}

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
   * @param segment its own number
   * @param previous the number of the segment before it, 0 if there was none
   * @param previousEnd where the valid bytes of that one end; {@link #LINKED} if the segment was
   *     created in advance, so that its first frame says so
   * @param endBefore of a segment created in advance, where the one before the previous one ends,
   *     all of which was durable by then; otherwise 0
   */
  record Chain(long segment, long previous, long previousEnd, long endBefore) {

    private static final long LINKED = -1;

    /** Returns the header of a segment whose predecessor is complete. */
    static Chain after(long segment, long previous, long previousEnd) {
      return new Chain(segment, previous, previousEnd, 0);
    }

    /** Returns the header of a segment whose predecessor is being written. */
    static Chain ahead(long previous, long endBefore) {
      return new Chain(previous + 1, previous, LINKED, endBefore);
    }

    boolean isLinked() {
      return previousEnd == LINKED;
    }

    void write(ByteWriter out) {
      ByteWriter body = new ByteWriter(32);
      body.writeLong(segment);
      body.writeLong(previous);
      body.writeLong(previousEnd);
      body.writeLong(endBefore);
      FileHeader.write(out, FORMAT, body.toByteArray());
    }

    static Chain read(FileHeader header, String path) throws CorruptFileException {
      try {
        ByteReader body = new ByteReader(header.body());
        boolean knowsAhead = header.version() >= 2;
        Chain chain =
            new Chain(
                body.readLong(),
                body.readLong(),
                body.readLong(),
                knowsAhead ? body.readLong() : 0);
        body.expectEnd("header of a segment");
        return chain;
      } catch (CorruptDataException e) {
        throw e.inFile(path, header.length() - 4L - header.body().length);
      }
    }
  }
}
