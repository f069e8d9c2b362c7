package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.NoSpaceException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hints of one node: segments that wait for delivery, oldest first, and one that is being
 * written. Used on the stage of hints only, except for the figures.
 */
final class HintsForNode {
  private static final Logger LOG = LoggerFactory.getLogger(HintsForNode.class);

  /** Files that may be left in a directory that has no hints. */
  private static final Set<String> OURS = Set.of(DispatchPosition.NAME, HintFormat.TEMPORARY);

  private final FileSystem files;
  private final String targetId;
  private final AtomicLong totalBytes;
  private final HintCounters counters;
  private final ArrayDeque<ClosedSegment> closed = new ArrayDeque<>();
  private @Nullable OpenSegment open;
  private DispatchPosition position;
  private DispatchPosition recorded;
  private long lastNumber;
  private long lastSoundEnd;
  private boolean hasDirectory;

  private int damagedSegments;
  private boolean delivering;
  private long deliveredHints;
  private String lastFailure = "";

  private volatile HintFigures figures;

  HintsForNode(FileSystem files, String targetId, AtomicLong totalBytes, HintCounters counters) {
    this(files, targetId, totalBytes, counters, DispatchPosition.START, List.of(), 0);
  }

  /** Wraps what was found on disk; the directory exists if there is anything in it. */
  HintsForNode(
      FileSystem files,
      String targetId,
      AtomicLong totalBytes,
      HintCounters counters,
      DispatchPosition position,
      Collection<ClosedSegment> found,
      int damagedSegments) {
    this.files = files;
    this.targetId = targetId;
    this.totalBytes = totalBytes;
    this.counters = counters;
    this.position = position;
    this.recorded = position;
    this.damagedSegments = damagedSegments;
    this.hasDirectory = !found.isEmpty() || damagedSegments > 0;
    for (ClosedSegment segment : found) {
      closed.add(segment);
      lastNumber = segment.number();
      lastSoundEnd = segment.soundEnd();
      totalBytes.addAndGet(segment.fileBytes());
    }
    this.figures = count();
  }

  String targetId() {
    return targetId;
  }

  /**
   * Writes hints.
   *
   * @param number for a new segment, should one be needed
   * @throws IOException if they were not written
   */
  void append(
      List<? extends OpenSegment.Content> group,
      long encodedBytes,
      long number,
      HintSettings settings,
      ByteWriter buffer)
      throws IOException {
    OpenSegment segment = open;
    if (segment != null
        && segment.summary().hints() > 0
        && segment.size() + OpenSegment.frameBytes(group.size(), encodedBytes)
            > settings.segmentBytes()) {
      roll();
      segment = null;
    }
    if (segment == null) {
      segment = begin(number);
    }
    long before = segment.size();
    try {
      segment.append(group, buffer);
    } catch (NoSpaceException full) {
      if (!segment.isSynced()) {
        abandon(segment, full);
      }
      throw full;
    } catch (IOException | RuntimeException | Error e) {
      abandon(segment, e);
      throw e;
    }
    totalBytes.addAndGet(segment.size() - before);
    figures = count();
  }

  private OpenSegment begin(long number) throws IOException {
    if (!hasDirectory) {
      files.createDirectories(HintFormat.directory(targetId));
      files.syncDirectory(HintFormat.ROOT);
      hasDirectory = true;
    }
    HintFormat.HintSegmentHeader header =
        new HintFormat.HintSegmentHeader(number, lastNumber, lastSoundEnd, targetId);
    OpenSegment segment = OpenSegment.create(files, header);
    open = segment;
    lastNumber = number;
    totalBytes.addAndGet(segment.size());
    return segment;
  }

  boolean isDirty() {
    return open != null && !open.isSynced();
  }

  /** Makes all that was appended durable. */
  void sync() throws IOException {
    OpenSegment segment = open;
    if (segment != null) {
      try {
        segment.sync();
      } catch (IOException | RuntimeException | Error e) {
        abandon(segment, e);
        throw e;
      }
    }
  }

  /** Closes the segment being written, so that it can be delivered. */
  void roll() throws IOException {
    OpenSegment segment = open;
    if (segment == null) {
      return;
    }
    long before = segment.size();
    try {
      ClosedSegment done = segment.close();
      totalBytes.addAndGet(done.fileBytes() - before);
      add(done);
    } catch (IOException | RuntimeException | Error e) {
      abandon(segment, e);
      throw e;
    }
  }

  private void abandon(OpenSegment segment, Throwable cause) {
    LOG.error(
        "writing hints for node {} failed. Synced hints are kept and will be delivered; later ones"
            + " may be lost, so repair the node when it is back. Check the disk",
        targetId,
        cause);
    add(segment.abandonAfter(cause));
  }

  private void add(ClosedSegment segment) {
    open = null;
    lastSoundEnd = segment.soundEnd();
    closed.add(segment);
    figures = count();
  }

  /** The oldest segment with hints to deliver, not counting those in {@code passedOver}. */
  Optional<ClosedSegment> next(Set<Long> passedOver) {
    return closed.stream().filter(segment -> !passedOver.contains(segment.number())).findFirst();
  }

  /** Whether the segment being written has any hints. */
  boolean hasOpen() {
    return open != null;
  }

  /** Reads the hints of the segment after the delivered ones. */
  HintBatch read(ClosedSegment segment, int bytesMax, int hintsMax) throws IOException {
    String path = HintFormat.segmentPath(targetId, segment.number());
    return HintBatch.read(files, path, segment, from(segment), bytesMax, hintsMax);
  }

  private long from(ClosedSegment segment) {
    return position.segment() == segment.number()
        ? Math.max(segment.start(), position.offset())
        : segment.start();
  }

  /** Notes that the batch, read from the segment, was delivered. */
  void advance(ClosedSegment segment, HintBatch batch) throws IOException {
    long before = position.segment() == segment.number() ? position.hints() : 0;
    position = new DispatchPosition(segment.number(), batch.next(), before + batch.hints().size());
    deliveredHints += batch.hints().size();
    if (batch.isLast()) {
      remove(segment);
    }
    figures = count();
  }

  private void remove(ClosedSegment segment) throws IOException {
    closed.remove(segment);
    totalBytes.addAndGet(-segment.fileBytes());
    files.delete(HintFormat.segmentPath(targetId, segment.number()));
    files.syncDirectory(HintFormat.directory(targetId));
  }

  /** The last segment from which a hint was delivered; 0 if none was. */
  long deliveredSegment() {
    return position.segment();
  }

  /** Bytes delivered since the position was recorded last. */
  long unrecordedBytes() {
    return position.segment() == recorded.segment()
        ? position.offset() - recorded.offset()
        : position.offset();
  }

  /** Records the delivery position if it lies within a segment. */
  void record() throws IOException {
    ClosedSegment first = closed.peekFirst();
    if (first != null && position.segment() == first.number() && !position.equals(recorded)) {
      position.write(files, targetId);
      recorded = position;
    }
  }

  /** Sets an unreadable segment aside, for an operator to look at. */
  void setAside(ClosedSegment segment, IOException cause) throws IOException {
    String path = HintFormat.segmentPath(targetId, segment.number());
    LOG.error(
        "hints for node {} are damaged. The segment is set aside as {}{}; repair that node, which"
            + " lacks what it held",
        targetId,
        files.describe(path),
        HintFormat.DAMAGED,
        cause);
    closed.remove(segment);
    totalBytes.addAndGet(-segment.fileBytes());
    damagedSegments++;
    counters.damagedSegments.increment();
    files.rename(path, path + HintFormat.DAMAGED);
    files.syncDirectory(HintFormat.directory(targetId));
    figures = count();
  }

  /** Removes the directory if nothing is left in it. */
  void tidy() throws IOException {
    if (!hasDirectory || open != null || !closed.isEmpty() || damagedSegments > 0) {
      return;
    }
    removeLeftovers(files, targetId);
    hasDirectory = false;
    recorded = DispatchPosition.START;
  }

  /** Removes the directory of a node without hints, unless it holds foreign files. */
  static void removeLeftovers(FileSystem files, String targetId) throws IOException {
    String directory = HintFormat.directory(targetId);
    List<String> names = files.list(directory);
    if (OURS.containsAll(names)) {
      for (String name : names) {
        files.delete(directory + "/" + name);
      }
      files.delete(directory);
      files.syncDirectory(HintFormat.ROOT);
    }
  }

  /** Whether there is a segment that is no longer written. */
  boolean hasClosed() {
    return !closed.isEmpty();
  }

  /** Whether there is anything to deliver. */
  boolean hasSegments() {
    return open != null || !closed.isEmpty();
  }

  /** Whether there is nothing to deliver and nothing to show. */
  boolean isEmpty() {
    return !hasSegments() && damagedSegments == 0;
  }

  void deliveryBegan() {
    delivering = true;
    deliveredHints = 0;
    lastFailure = "";
    figures = count();
  }

  void deliveryEnded(String failure) {
    delivering = false;
    lastFailure = failure;
    figures = count();
  }

  boolean isDelivering() {
    return delivering;
  }

  /** Figures as of the last change; for any thread. */
  HintFigures figures() {
    return figures;
  }

  private HintFigures count() {
    long hints = 0;
    long bytes = 0;
    long oldest = Long.MAX_VALUE;
    for (ClosedSegment segment : closed) {
      bytes += segment.fileBytes();
      hints += segment.summary().hints();
      oldest = Math.min(oldest, segment.summary().oldestMicros());
      if (position.segment() == segment.number()) {
        hints -= Math.min(position.hints(), segment.summary().hints());
      }
    }
    OpenSegment segment = open;
    if (segment != null) {
      bytes += segment.size();
      hints += segment.summary().hints();
      if (segment.summary().hints() > 0) {
        oldest = Math.min(oldest, segment.summary().oldestMicros());
      }
    }
    return new HintFigures(
        targetId,
        hints,
        bytes,
        oldest == Long.MAX_VALUE ? 0 : oldest,
        delivering,
        deliveredHints,
        damagedSegments,
        lastFailure);
  }
}
