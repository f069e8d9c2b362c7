package dev.colonnade.server.commitlog;

import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.Frames;
import dev.colonnade.server.env.FileSystem;
import dev.colonnade.server.env.NoSpaceException;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.LogPosition;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commit log of a node. {@link #append} is called by one thread at a time; every other method
 * by any thread at any time. Calls may block on the disk.
 */
public final class CommitLog implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(CommitLog.class);
  private static final int BUFFER_BYTES = 1 << 16;

  /** What the buffer may keep after a large append. */
  private static final int BUFFER_BYTES_KEPT = 1 << 20;

  private final FileSystem files;
  private final CommitLogSettings settings;
  private final LiveSegments segments;
  private final LogRecovery recovery;
  private final LogPosition begin;
  private final ByteWriter buffer = new ByteWriter(BUFFER_BYTES);

  /**
   * Held while the file is synced and while segments change, so that no sync meets a closed file.
   */
  private final Object syncLock = new Object();

  private volatile SegmentWriter active;
  private volatile @Nullable LogBrokenException broken;
  private volatile boolean closed;

  private final LongAdder appends = new LongAdder();
  private final LongAdder records = new LongAdder();
  private final LongAdder appendedBytes = new LongAdder();
  private final LongAdder syncs = new LongAdder();

  CommitLog(
      FileSystem files,
      CommitLogSettings settings,
      LiveSegments segments,
      LogRecovery recovery,
      SegmentWriter active) {
    this.files = files;
    this.settings = settings;
    this.segments = segments;
    this.recovery = recovery;
    this.active = active;
    this.begin = new LogPosition(active.number(), 0);
  }

  /**
   * Replays the log in the root of {@code files}, then opens a new segment for appending. Other
   * files there are left alone.
   *
   * @param flushedUpTo the greatest position that any family is known to be flushed to: new records
   *     come after it even if the log's directory was lost
   * @throws dev.colonnade.server.codec.UnreadableFileException if a segment is damaged or of
   *     another release. Nothing has been changed then.
   */
  public static CommitLog open(
      FileSystem files, CommitLogSettings settings, LogPosition flushedUpTo, LogReplay replay)
      throws IOException {
    return LogOpening.open(files, settings, flushedUpTo, replay);
  }

  /** What {@link #open} found. */
  public LogRecovery recovery() {
    return recovery;
  }

  /**
   * Appends all the records in one write. When it returns they are with the system: they survive
   * the end of this process, and a crash of the machine only after {@link #sync}.
   *
   * @throws IllegalArgumentException if the list is empty or a record is too large; nothing has
   *     been written then
   * @throws LogRefusedException if there is no room, or no new segment could be made. Nothing has
   *     been written then, and the log goes on.
   * @throws LogBrokenException if this or an earlier operation failed
   */
  public AppendedGroup append(List<? extends LogRecord> group) throws IOException {
    requireUsable();
    if (group.isEmpty()) {
      throw new IllegalArgumentException("nothing to append");
    }
    long[] frames = encode(group);
    try {
      SegmentWriter segment = writable(buffer.position());
      write(segment, frames);
      segments.noteAll(group, frames);
      segments.size(segment.size());
      appends.increment();
      records.add(frames.length);
      appendedBytes.add(buffer.position() - Frames.MARK_BYTES);
      return new AppendedGroup(segment.number(), frames, segment.size());
    } catch (LogRefusedException e) {
      throw e;
    } catch (IOException e) {
      throw breakWith(e);
    } finally {
      buffer.resetAndShrink(BUFFER_BYTES_KEPT);
    }
  }

  /**
   * A write that found no room has left a part of itself. No sync has failed, so what was written
   * before is as good as it was: the part is cut off, durably, so that no restart finds a record
   * whose writer was told no.
   */
  private void write(SegmentWriter segment, long[] frames) throws IOException {
    try {
      segment.write(buffer, frames);
    } catch (NoSpaceException full) {
      synchronized (syncLock) {
        requireUsable();
        segment.undo();
      }
      throw new LogRefusedException(full);
    }
  }

  /**
   * Makes everything appended before the call durable.
   *
   * @return the end of what is durable now
   * @throws LogBrokenException if this or an earlier operation failed. It is not worth trying
   *     again: the system may have thrown away what it could not write.
   */
  public LogPosition sync() throws IOException {
    synchronized (syncLock) {
      SegmentWriter segment = active;
      if (closed) {
        return new LogPosition(segment.number(), segment.synced());
      }
      requireUsable();
      if (segment.synced() < segment.size()) {
        try {
          segment.sync();
        } catch (IOException e) {
          throw breakWith(e);
        }
        syncs.increment();
      }
      return new LogPosition(segment.number(), segment.synced());
    }
  }

  /**
   * Notes that all records of {@code family} up to and including {@code position} are durable
   * elsewhere, and deletes the segments that nobody needs any more. The caller has made that fact
   * durable first.
   *
   * @throws IOException if a segment could not be deleted. The log goes on; it is tried again at
   *     the next notice.
   */
  public void flushed(FamilyId family, LogPosition position) throws IOException {
    segments.flushed(family, position);
    segments.deleteUnneeded();
  }

  /**
   * Notes that nothing of {@code family} will be wanted again, and deletes the segments that nobody
   * needs any more.
   *
   * @throws IOException if a segment could not be deleted. The log goes on; it is tried again at
   *     the next notice.
   */
  public void dropped(FamilyId family) throws IOException {
    segments.dropped(family);
    segments.deleteUnneeded();
  }

  /**
   * Goes on in a new segment, so that the one before can be deleted, and deletes what nobody needs
   * any more. Not to be called during an append.
   *
   * @throws LogBrokenException if this or an earlier operation failed
   * @throws IOException if a segment could not be made or deleted. The log goes on.
   */
  public void cut() throws IOException {
    synchronized (syncLock) {
      requireUsable();
      try {
        if (!active.isEmpty()) {
          next();
        }
      } catch (LogRefusedException e) {
        throw e;
      } catch (IOException e) {
        throw breakWith(e);
      }
    }
    segments.deleteUnneeded();
  }

  /**
   * Whether the log has more bytes than it should: {@link #familiesPinningOldest} are due for a
   * flush.
   */
  public boolean isOverLimit() {
    return segments.bytes() > settings.maxTotalBytes();
  }

  /** The families that keep the oldest segment that is needed at all, sorted; empty if none is. */
  public Set<FamilyId> familiesPinningOldest() {
    return segments.familiesPinningOldest();
  }

  /**
   * Where this run of the log began: after every record that was replayed and before every one
   * appended since, so that it can be said of what was replayed that it is flushed up to here. The
   * {@link #end} cannot: the next record will stand just there.
   */
  public LogPosition begin() {
    return begin;
  }

  /** The end of the log: every record appended so far begins before it. */
  public LogPosition end() {
    SegmentWriter segment = active;
    return new LogPosition(segment.number(), segment.size());
  }

  /** The largest payload of one record. */
  public int maxRecordBytes() {
    return settings.maxRecordBytes();
  }

  /** Counts. */
  public LogFigures figures() {
    return new LogFigures(
        segments.count(),
        segments.bytes(),
        appends.sum(),
        records.sum(),
        appendedBytes.sum(),
        syncs.sum());
  }

  /**
   * Syncs and seals the log. Of a broken one it only closes the file. Not to be called during an
   * append.
   */
  @Override
  public void close() throws IOException {
    synchronized (syncLock) {
      if (closed) {
        return;
      }
      closed = true;
      if (broken != null) {
        active.abandon();
      } else {
        active.sealAndSync();
      }
    }
  }

  private long[] encode(List<? extends LogRecord> group) {
    buffer.reset();
    buffer.reserve(Frames.MARK_BYTES);
    long[] frames = new long[group.size()];
    for (int i = 0; i < frames.length; i++) {
      int frame = buffer.reserve(Frames.FRAME_BYTES);
      buffer.array()[frame + 8] = Frames.RECORD;
      group.get(i).encode(buffer);
      int payload = buffer.position() - frame - Frames.FRAME_BYTES;
      if (payload > settings.maxRecordBytes()) {
        throw new IllegalArgumentException(
            "a log record of "
                + payload
                + " bytes; the limit is "
                + settings.maxRecordBytes()
                + ". Split the batch.");
      }
      frames[i] = frame;
    }
    return frames;
  }

  /**
   * The segment that the next {@code bytes} go to; a new one if they do not fit the present one.
   */
  private SegmentWriter writable(int bytes) throws IOException {
    SegmentWriter segment = active;
    if (segment.isEmpty() || segment.size() + bytes <= settings.segmentBytes()) {
      return segment;
    }
    synchronized (syncLock) {
      requireUsable();
      return next();
    }
  }

  /** Makes a new segment the active one. The caller holds {@link #syncLock}. */
  private SegmentWriter next() throws IOException {
    SegmentWriter segment = active;
    // The next segment says where this one ends, so these bytes must be there first.
    long end = segment.size();
    segment.sync();
    syncs.increment();
    SegmentFormat.Chain chain =
        new SegmentFormat.Chain(segment.number() + 1, segment.number(), end);
    SegmentWriter next = SegmentWriter.create(files, chain);
    segments.add(next.number(), next.size());
    active = next;
    sealSynced(segment);
    return next;
  }

  /** The next segment names the end of this one, so that a seal which fails is not missed. */
  private void sealSynced(SegmentWriter segment) {
    try {
      segment.seal();
    } catch (IOException e) {
      LOG.warn(
          "could not seal {}; all its records are durable",
          files.describe(SegmentFormat.name(segment.number())),
          e);
    }
  }

  private void requireUsable() throws LogBrokenException {
    LogBrokenException failure = broken;
    if (failure != null) {
      throw failure;
    }
    if (closed) {
      throw new IllegalStateException("the commit log is closed");
    }
  }

  private LogBrokenException breakWith(IOException cause) {
    if (cause instanceof LogBrokenException already) {
      return already;
    }
    LogBrokenException failure =
        new LogBrokenException(files.describe(SegmentFormat.name(active.number())), cause);
    broken = failure;
    return failure;
  }
}
