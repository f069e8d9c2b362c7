package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.storage.record.FrameReader;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The segments of earlier runs, ordered by their headers and links.
 *
 * <p>A segment is created while the one before it is being written, but only after everything
 * before that one is durable. So only the last two files of the chain can have bytes that were
 * never synced, and the last one may never have been begun.
 */
final class FoundSegments {
  private final FileSystem files;
  private final List<SegmentFound> chain = new ArrayList<>();
  private final List<SegmentFound> leftOut = new ArrayList<>();

  private FoundSegments(FileSystem files) {
    this.files = files;
  }

  /**
   * A segment whose header is sound.
   *
   * @param link where the segment before it ends, according to its first frame; -1 if there is none
   */
  record SegmentFound(
      SegmentFormat.Chain chain, String name, int headerBytes, long size, long link) {

    long number() {
      return chain.segment();
    }

    /**
     * Where the segment before it ends; -1 if this one was created in advance and not begun, or
     * lost it.
     */
    long previousEnd() {
      return chain.isLinked() ? link : chain.previousEnd();
    }
  }

  /** Reads all headers and checks that no segment is missing between two others. */
  static FoundSegments in(FileSystem files) throws IOException {
    FoundSegments found = new FoundSegments(files);
    for (String name : files.list("")) {
      // Names have a fixed width, so the list is in the order of the numbers.
      if (SegmentFormat.number(name).isPresent()) {
        found.add(found.read(name, SegmentFormat.number(name).get()));
      }
    }
    return found;
  }

  /**
   * Reads headers, where segments may be missing between others.
   *
   * @param from segments with smaller numbers are left out
   * @return those that follow each other together, oldest first
   */
  static List<FoundSegments> unbroken(FileSystem files, long from) throws IOException {
    List<FoundSegments> parts = new ArrayList<>();
    FoundSegments part = new FoundSegments(files);
    for (String name : files.list("")) {
      if (SegmentFormat.number(name).orElse(-1L) >= from) {
        SegmentFound segment = part.read(name, SegmentFormat.number(name).get());
        if (!part.isFollowedBy(segment)) {
          parts.add(part);
          part = new FoundSegments(files);
        }
        part.add(segment);
      }
    }
    if (!part.chain.isEmpty()) {
      parts.add(part);
    }
    return parts;
  }

  private boolean isFollowedBy(SegmentFound segment) {
    return chain.isEmpty()
        || last().number() == segment.chain().previous()
        || (!segment.chain().isLinked()
            && chain.stream().anyMatch(it -> it.number() == segment.chain().previous()));
  }

  private SegmentFound read(String name, long number) throws IOException {
    String path = files.describe(name);
    try (ReadableFile file = files.open(name)) {
      FileHeader header = FileHeader.read(file, path, SegmentFormat.FORMAT);
      SegmentFormat.Chain found = SegmentFormat.Chain.read(header, path);
      if (found.segment() != number) {
        throw new CorruptFileException(
            path, 14, "segment " + number + ", as its name says", "" + found.segment());
      }
      long link = found.isLinked() ? link(file, number, header.length()) : -1;
      return new SegmentFound(found, name, header.length(), file.size(), link);
    }
  }

  private static long link(ReadableFile file, long number, int headerBytes) throws IOException {
    FrameReader frames = new FrameReader(file, number, headerBytes, file.size(), Long.BYTES);
    boolean begun = frames.isFrame(headerBytes) && frames.kind() == Frames.LINK;
    return begun ? frames.payload().readLong() : -1;
  }

  private void add(SegmentFound segment) throws CorruptFileException {
    long previous = segment.chain().previous();
    if (!segment.chain().isLinked() && chain.stream().anyMatch(it -> it.number() == previous)) {
      // A start that had read all of them began it, and continued from there.
      while (last().number() > previous) {
        leftOut.add(chain.remove(chain.size() - 1));
      }
    }
    if (!chain.isEmpty() && last().number() != previous) {
      throw new CorruptFileException(
          files.describe(segment.name()),
          22,
          "segment " + previous + " before it",
          "only " + last().number() + ": a segment is missing");
    }
    chain.add(segment);
  }

  private SegmentFound last() {
    return chain.get(chain.size() - 1);
  }

  /** The segments that follow each other, oldest first. */
  List<SegmentFound> chain() {
    return chain;
  }

  /** The segments that a start has left out and did not get to delete. */
  List<SegmentFound> leftOut() {
    return leftOut;
  }

  /** The greatest number of all; 0 if there are none. */
  long greatestNumber() {
    long greatest = chain.isEmpty() ? 0 : last().number();
    for (SegmentFound segment : leftOut) {
      greatest = Math.max(greatest, segment.number());
    }
    return greatest;
  }

  /**
   * Whether bytes at the end of the {@code index}-th can be missing because they were never synced.
   */
  boolean mayBeTorn(int index) {
    boolean isLast = index == chain.size() - 1;
    boolean isFollowedByTheLast = index == chain.size() - 2;
    return isLast || (isFollowedByTheLast && chain.get(index + 1).chain().isLinked());
  }

  /**
   * Whether the segment after the {@code index}-th has a sync mark or a seal: the earlier segment
   * is synced first.
   */
  boolean isProvenByTheNext(int index) throws IOException {
    return index + 1 < chain.size() && hasMark(chain.get(index + 1));
  }

  /** Whether a segment has a sync mark or a seal. */
  boolean hasMark(SegmentFound segment) throws IOException {
    try (ReadableFile file = files.open(segment.name())) {
      return new FrameReader(
                  file,
                  segment.number(),
                  segment.headerBytes(),
                  segment.size(),
                  CommitLogSettings.LARGEST_RECORD_BYTES)
              .proofOfSync(segment.headerBytes() - 1L)
          >= 0;
    }
  }

  /**
   * Where the {@code index}-th ends, according to the next one, or the one after that; -1 if
   * neither says.
   */
  private long toldEndOf(int index) {
    if (index + 2 < chain.size() && chain.get(index + 1).previousEnd() < 0) {
      SegmentFormat.Chain madeAhead = chain.get(index + 2).chain();
      return madeAhead.isLinked() ? madeAhead.endBefore() : -1;
    }
    return index + 1 < chain.size() ? chain.get(index + 1).previousEnd() : -1;
  }

  /**
   * Where the {@code index}-th ends, according to those behind it.
   *
   * @return its size if none says anything, because it was the last one to be written
   * @throws CorruptFileException if the file cannot end there
   */
  long endOf(int index) throws CorruptFileException {
    SegmentFound segment = chain.get(index);
    long end = toldEndOf(index);
    if (end < 0 && mayBeTorn(index)) {
      return segment.size();
    }
    if (end < segment.headerBytes() || (end > segment.size() && !mayBeTorn(index))) {
      throw new CorruptFileException(
          files.describe(segment.name()),
          segment.size(),
          "frames up to byte " + end + ", as the next segment says",
          "a file of " + segment.size() + " bytes");
    }
    return end;
  }
}
