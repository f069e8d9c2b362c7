package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.AtomicFile;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileFooter;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.storage.record.FrameReader;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the hints of one node that an earlier run left. A segment that was not closed in order is
 * rewritten up to its last sound frame: the run may have ended because its sync failed, and then
 * the page cache holds bytes that will never be written to disk. A damaged segment is set aside.
 */
final class HintOpening {
  private static final Logger LOG = LoggerFactory.getLogger(HintOpening.class);
  private static final int CHUNK_BYTES = 1 << 18;

  private final FileSystem files;
  private final String targetId;
  private final String directory;
  private final List<HintSegmentFound> found = new ArrayList<>();
  private final List<ClosedSegment> sound = new ArrayList<>();
  private int damaged;

  private HintOpening(FileSystem files, String targetId) {
    this.files = files;
    this.targetId = targetId;
    this.directory = HintFormat.directory(targetId);
  }

  /** A segment whose header is sound. */
  private record HintSegmentFound(HintFormat.HintSegmentHeader header, String path, int start) {}

  /**
   * Opens the hints of the node whose directory exists.
   *
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if a segment is of another
   *     release; nothing was changed then
   */
  static HintsForNode open(
      FileSystem files, String targetId, AtomicLong totalBytes, HintCounters counters)
      throws IOException {
    HintOpening opening = new HintOpening(files, targetId);
    opening.find();
    for (int i = 0; i < opening.found.size(); i++) {
      opening.settle(i);
    }
    DispatchPosition position = opening.position();
    opening.removeDelivered(position);
    return new HintsForNode(
        files, targetId, totalBytes, counters, position, opening.sound, opening.damaged);
  }

  private void find() throws IOException {
    for (String name : files.list(directory)) {
      // Names have a fixed width, so the list is in the order of the numbers.
      if (name.equals(HintFormat.TEMPORARY)) {
        files.delete(directory + "/" + name);
      } else if (name.endsWith(HintFormat.DAMAGED)) {
        damaged++;
      } else if (HintFormat.number(name).isPresent()) {
        readHeader(directory + "/" + name, HintFormat.number(name).get());
      }
    }
  }

  private void readHeader(String path, long number) throws IOException {
    try (ReadableFile file = files.open(path)) {
      FileHeader raw = FileHeader.read(file, files.describe(path), HintFormat.SEGMENT);
      HintFormat.HintSegmentHeader header =
          HintFormat.HintSegmentHeader.read(raw, files.describe(path));
      if (header.number() != number || !header.targetId().equals(targetId)) {
        throw new CorruptFileException(
            files.describe(path),
            14,
            "segment " + number + " for node " + targetId + ", as its name says",
            header.number() + " for " + header.targetId());
      }
      found.add(new HintSegmentFound(header, path, raw.length()));
    } catch (CorruptFileException e) {
      setAside(path, e);
    }
  }

  private void settle(int index) throws IOException {
    HintSegmentFound segment = found.get(index);
    // According to the next segment; 0 if this is the last, or the next one is deleted.
    long promisedEnd = 0;
    if (index + 1 < found.size()) {
      HintFormat.HintSegmentHeader next = found.get(index + 1).header();
      promisedEnd = next.previous() == segment.header().number() ? next.previousEnd() : 0;
    }
    try {
      ClosedSegment ended = ended(segment);
      sound.add(ended != null && ended.end() >= promisedEnd ? ended : mend(segment, promisedEnd));
    } catch (CorruptFileException e) {
      setAside(segment.path(), e);
    }
  }

  /** Returns the segment if it was closed in order, else null. */
  private @Nullable ClosedSegment ended(HintSegmentFound segment) throws IOException {
    try (ReadableFile file = files.open(segment.path())) {
      String path = files.describe(segment.path());
      FileFooter footer = FileFooter.read(file, path, HintFormat.SEGMENT, segment.start());
      HintFormat.Summary summary = HintFormat.Summary.read(footer, path);
      return new ClosedSegment(
          segment.header().number(),
          segment.start(),
          footer.offset(),
          footer.offset(),
          file.size(),
          summary);
    } catch (CorruptFileException notEnded) {
      LOG.debug("a segment was not closed", notEnded);
      return null;
    }
  }

  /** Rewrites the sound frames of a segment, with an end. */
  private ClosedSegment mend(HintSegmentFound segment, long promisedEnd) throws IOException {
    HintFormat.Summary summary = HintFormat.Summary.EMPTY;
    long at = segment.start();
    long end;
    try (ReadableFile file = files.open(segment.path())) {
      end = file.size();
      FrameReader frames = HintBatch.reader(file, segment.header().number(), segment.start(), end);
      while (at < end && frames.isFrame(at)) {
        if (frames.kind() == Frames.RECORD) {
          ByteReader payload = frames.payload();
          if (payload.remaining() < Long.BYTES) {
            throw damaged(segment, at, "a hint");
          }
          summary = summary.with(payload.readLong());
        }
        at += frames.frameBytes();
      }
      if (at < promisedEnd) {
        throw damaged(segment, at, "frames up to byte " + promisedEnd + ", as the next one says");
      }
      long proof = at < end ? frames.proofOfSync(at) : -1;
      if (proof >= 0) {
        throw damaged(segment, at, "a frame, since byte " + proof + " says that this was synced");
      }
    }
    if (at < end) {
      LOG.info(
          "{} ends with {} bytes of a write that never completed; they are ignored",
          files.describe(segment.path()),
          end - at);
    }
    long fileBytes = rewrite(segment.path(), at, summary);
    return new ClosedSegment(
        segment.header().number(), segment.start(), at, at, fileBytes, summary);
  }

  private long rewrite(String path, long end, HintFormat.Summary summary) throws IOException {
    String temporary = directory + "/" + HintFormat.TEMPORARY;
    long fileBytes;
    try (ReadableFile source = files.open(path);
        WritableFile copy = AtomicFile.createAnew(files, temporary)) {
      byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, end)];
      for (long at = 0; at < end; at += chunk.length) {
        ByteBuffer part = ByteBuffer.wrap(chunk, 0, (int) Math.min(chunk.length, end - at));
        source.read(at, part);
        copy.write(part.flip());
      }
      ByteWriter footer = new ByteWriter(64);
      summary.write(footer);
      copy.write(footer.asByteBuffer());
      copy.sync();
      fileBytes = copy.size();
    }
    files.rename(temporary, path);
    files.syncDirectory(directory);
    return fileBytes;
  }

  private DispatchPosition position() throws IOException {
    try {
      return DispatchPosition.read(files, targetId);
    } catch (CorruptFileException e) {
      LOG.warn(
          "how far hints for node {} were delivered is not known; they are delivered again, which"
              + " does no harm",
          targetId,
          e);
      return DispatchPosition.START;
    }
  }

  private void removeDelivered(DispatchPosition position) throws IOException {
    for (ClosedSegment segment : List.copyOf(sound)) {
      boolean delivered =
          segment.number() == position.segment() && position.offset() >= segment.end();
      if (delivered || segment.summary().hints() == 0) {
        sound.remove(segment);
        files.delete(HintFormat.segmentPath(targetId, segment.number()));
        files.syncDirectory(directory);
      }
    }
  }

  private void setAside(String path, CorruptFileException cause) throws IOException {
    damaged++;
    LOG.error(
        "hints for node {} are damaged. The segment is set aside as {}{}; repair that node, which"
            + " lacks what it held",
        targetId,
        files.describe(path),
        HintFormat.DAMAGED,
        cause);
    files.rename(path, path + HintFormat.DAMAGED);
    files.syncDirectory(directory);
  }

  private CorruptFileException damaged(HintSegmentFound segment, long at, String expected) {
    return new CorruptFileException(files.describe(segment.path()), at, expected, "other bytes");
  }
}
