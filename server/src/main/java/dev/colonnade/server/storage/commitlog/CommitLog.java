package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.NoSpaceException;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.record.FrameWriter;
import dev.colonnade.server.storage.record.Frames;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The commit log of a node: an append-only chain of segments.
 *
 * <ul>
 *   <li>A group of records is one write; once {@link #append} returns, the operating system has it,
 *       and after {@link #sync} it is durable.
 *   <li>After a write or sync that failed the contents of the file are unknown, and the log refuses
 *       everything. Only a write that found no room can be undone.
 *   <li>A segment is created only when everything before the current one is durable, and deleted
 *       only when all families have flushed past it, the oldest first.
 * </ul>
 *
 * <p>Threads: {@link #append} and {@link #tryAppend} are called by one thread at a time; every
 * other method by any thread at any time. {@link #tryAppend} makes one write to an open file and
 * nothing else: it creates, syncs and deletes no file, and waits for no lock, so event loops may
 * call it. For that {@link #prepare} creates the next segment in advance. All other methods may
 * wait for the disk, except those that say otherwise.
 */
public final class CommitLog implements Closeable {

  /** One in so many bytes of a segment is left to small writes while the next is not there. */
  private static final int TAIL_PART = 16;

  private static final int BUFFER_BYTES = 1 << 16;

  /**
   * How much the buffer may keep after a large append: enough for a value of the largest size that
   * clients write often. If it grew and shrank for each of them, the collector would get two arrays
   * of that size each time.
   */
  private static final int BUFFER_BYTES_KEPT = 4 << 20;

  private final FileSystem files;
  private final CommitLogSettings settings;
  private final LiveSegments segments;
  private final LogRecovery recovery;
  private final LogPosition begin;
  private final SegmentRotation rotation;
  private final ByteWriter buffer = new ByteWriter(BUFFER_BYTES);

  /** Held during every operation on the disk except the write of a group: one at a time. */
  private final Object syncLock = new Object();

  /** A write found no room, and its remains must still be cut off. */
  private @Nullable NoSpaceException notUndone;

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
      SegmentRotation rotation) {
    this.files = files;
    this.settings = settings;
    this.segments = segments;
    this.recovery = recovery;
    this.rotation = rotation;
    this.begin = new LogPosition(rotation.active().number(), 0);
  }

  /** As the other one, for a log that is not archived. */
  public static CommitLog open(
      FileSystem files,
      SegmentInventory inventory,
      CommitLogSettings settings,
      LogPosition flushedUpTo,
      LogReplay replay)
      throws IOException {
    return open(files, inventory, settings, flushedUpTo, Optional.empty(), replay);
  }

  /**
   * Replays the log in the root of {@code files}, then opens a new segment for appending. Other
   * files there are left alone.
   *
   * @param inventory knows which segments there must be
   * @param flushedUpTo the greatest position that any family is known to be flushed to: new records
   *     come after it even if the log's directory was lost
   * @param archive where complete segments are kept; a failure of it does not keep the log from
   *     opening
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if a segment is missing,
   *     damaged or of another release. Nothing has been changed then.
   */
  public static CommitLog open(
      FileSystem files,
      SegmentInventory inventory,
      CommitLogSettings settings,
      LogPosition flushedUpTo,
      Optional<LogArchive> archive,
      LogReplay replay)
      throws IOException {
    return LogOpening.open(files, inventory, settings, flushedUpTo, archive, replay);
  }

  /** What {@link #open} found. */
  public LogRecovery recovery() {
    return recovery;
  }

  /**
   * Appends all records in one write, and creates a segment for them if needed. When it returns the
   * operating system has them: they survive the end of this process, but a crash of the machine
   * only after {@link #sync}.
   *
   * @throws IllegalArgumentException if the list is empty or a record is too large; nothing has
   *     been written then
   * @throws LogRefusedException if there is no room, or no new segment could be created. Nothing
   *     has been written then, and the log goes on.
   * @throws LogBrokenException if this or an earlier operation failed
   */
  public AppendedGroup append(List<? extends LogRecord> group) throws IOException {
    AppendedGroup appended = tryAppend(group);
    if (appended == null) {
      undoIfNeeded();
      prepare();
      appended = tryAppend(group);
    }
    if (appended == null) {
      // The disk filled up just now.
      undoIfNeeded();
      throw new IllegalStateException("a group fits no segment, though one is ready");
    }
    return appended;
  }

  /**
   * As {@link #append}, but without waiting for the disk.
   *
   * @return null if it would have to wait for the disk: the same group must be passed to {@link
   *     #append} then
   */
  public @Nullable AppendedGroup tryAppend(List<? extends LogRecord> group) throws IOException {
    requireUsable();
    if (group.isEmpty()) {
      throw new IllegalArgumentException("nothing to append");
    }
    if (notUndone != null) {
      return null;
    }
    long[] frames = encode(group);
    try {
      SegmentWriter segment = writable(buffer.position());
      if (segment == null) {
        return null;
      }
      segment.write(buffer, frames);
      segments.noteAll(group, frames);
      segments.size(segment.size());
      appends.increment();
      records.add(frames.length);
      appendedBytes.add(buffer.position() - Frames.MARK_BYTES);
      return new AppendedGroup(segment.number(), frames, segment.size());
    } catch (NoSpaceException full) {
      notUndone = full;
      return null;
    } catch (IOException e) {
      throw breakWith(e);
    } catch (Error e) {
      throw breakWith(e);
    } finally {
      buffer.resetAndShrink(BUFFER_BYTES_KEPT);
    }
  }

  /**
   * Cuts off, durably, what a write without room left behind, so that no restart finds a record
   * whose writer was refused. No sync has failed, so everything written before is sound.
   */
  private void undoIfNeeded() throws IOException {
    NoSpaceException full = notUndone;
    if (full == null) {
      return;
    }
    synchronized (syncLock) {
      requireUsable();
      try {
        rotation.undo();
      } catch (IOException e) {
        throw breakWith(e);
      } catch (Error e) {
        throw breakWith(e);
      }
    }
    notUndone = null;
    throw new LogRefusedException(full);
  }

  /** Whether the next segment exists, so that no append has to wait for it; does not block. */
  public boolean isPrepared() {
    return rotation.isReady() || closed || broken != null;
  }

  /**
   * Whether an append of about so many bytes would go on without waiting for the next segment, and
   * leave a part of the current one to smaller ones. To be called by the thread that appends; does
   * not block.
   */
  public boolean hasRoomFor(long bytes) {
    SegmentWriter segment = rotation.active();
    long room = settings.segmentBytes() - settings.segmentBytes() / TAIL_PART - segment.size();
    return segment.isEmpty() || bytes <= room || isPrepared();
  }

  /**
   * Creates the next segment, if it does not exist, once everything before the current one is
   * durable.
   *
   * @throws LogRefusedException if that cannot be done now; the log goes on
   * @throws LogBrokenException if this or an earlier operation failed
   */
  public void prepare() throws IOException {
    synchronized (syncLock) {
      if (closed) {
        return;
      }
      requireUsable();
      try {
        rotation.prepare();
      } catch (LogRefusedException e) {
        throw e;
      } catch (IOException e) {
        throw breakWith(e);
      } catch (Error e) {
        throw breakWith(e);
      }
    }
  }

  /**
   * Makes everything appended before the call durable.
   *
   * @return the end of what is durable now
   * @throws LogBrokenException if this or an earlier operation failed. Trying again is useless: the
   *     operating system may have discarded what it could not write.
   */
  public LogPosition sync() throws IOException {
    synchronized (syncLock) {
      if (!closed) {
        requireUsable();
        try {
          syncs.add(rotation.sync());
        } catch (IOException e) {
          throw breakWith(e);
        } catch (Error e) {
          throw breakWith(e);
        }
      }
      SegmentWriter segment = rotation.active();
      return new LogPosition(segment.number(), segment.synced());
    }
  }

  /**
   * Records that all records of {@code family} up to and including {@code position} are durable
   * elsewhere, and deletes the segments that no family needs any more. The caller has made that
   * fact durable first.
   *
   * @throws IOException if a segment could not be deleted. The log goes on; the next call tries
   *     again.
   */
  public void flushed(FamilyId family, LogPosition position) throws IOException {
    segments.flushed(family, position);
    segments.deleteUnneeded();
  }

  /**
   * Records that nothing of {@code family} will be needed again, and deletes the segments that no
   * family needs any more.
   *
   * @throws IOException if a segment could not be deleted. The log goes on; the next call tries
   *     again.
   */
  public void dropped(FamilyId family) throws IOException {
    segments.dropped(family);
    segments.deleteUnneeded();
  }

  /**
   * Records that a record of {@code family} need not be kept, because the family is gone. Segments
   * that this releases are deleted by a later call; this one does not block.
   */
  public void forget(FamilyId family) {
    segments.dropped(family);
  }

  /**
   * Continues in a new segment, so that the one before can be deleted, and deletes segments that no
   * family needs any more. Not to be called during an append.
   *
   * @throws LogBrokenException if this or an earlier operation failed
   * @throws IOException if a segment could not be created or deleted. The log goes on.
   */
  public void cut() throws IOException {
    if (!rotation.active().isEmpty()) {
      prepare();
      if (rotation.advance()) {
        sync();
      }
    }
    segments.deleteUnneeded();
  }

  /**
   * Archives the segments that are complete, if there is an archive, and deletes those that neither
   * it nor a family needs any more. One that cannot be archived is logged, and tried again by the
   * next call. To be called now and then.
   *
   * @throws IOException if a segment could not be deleted. The log goes on; the next call tries
   *     again.
   */
  public void archive() throws IOException {
    segments.archiveAndDelete();
  }

  /**
   * Whether the log is larger than it should be, so that {@link #familiesPinningOldest} are due for
   * a flush.
   */
  public boolean isOverLimit() {
    return segments.neededBytes() > settings.maxTotalBytes();
  }

  /**
   * The families whose unflushed data keep the oldest needed segment alive, sorted; empty if no
   * segment is needed.
   */
  public Set<FamilyId> familiesPinningOldest() {
    return segments.familiesPinningOldest();
  }

  /**
   * Where this run of the log began: after every replayed record and before every record appended
   * since, so that replayed data can be reported as flushed up to here. The {@link #end} cannot
   * serve for that, because the next record will stand exactly there.
   */
  public LogPosition begin() {
    return begin;
  }

  /** The end of the log: every record appended so far begins before it. */
  public LogPosition end() {
    SegmentWriter segment = rotation.active();
    return new LogPosition(segment.number(), segment.size());
  }

  /** The largest payload of one record. */
  public int maxRecordBytes() {
    return settings.maxRecordBytes();
  }

  /** Figures of the log. */
  public LogFigures figures() {
    return new LogFigures(
        segments.count(),
        segments.bytes(),
        appends.sum(),
        records.sum(),
        appendedBytes.sum(),
        syncs.sum(),
        segments.archiveFigures());
  }

  /**
   * Syncs, seals and archives the log. If the log is broken, only closes the file. Not to be called
   * during an append.
   */
  @Override
  public void close() throws IOException {
    synchronized (syncLock) {
      if (closed) {
        return;
      }
      closed = true;
      if (broken != null) {
        rotation.closeFiles();
      } else {
        rotation.close();
        segments.archiveComplete();
      }
    }
  }

  private long[] encode(List<? extends LogRecord> group) {
    FrameWriter.prepare(buffer);
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
   * Returns the segment that the next {@code bytes} go to: the next one if they do not fit the
   * current one. Null if that does not exist yet.
   */
  private @Nullable SegmentWriter writable(int bytes) {
    SegmentWriter segment = rotation.active();
    if (segment.isEmpty() || segment.size() + bytes <= settings.segmentBytes()) {
      return segment;
    }
    return rotation.advance() ? rotation.active() : null;
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

  /** It is unknown how far the operation came, as after one that failed. */
  private LogBrokenException breakWith(Error cause) {
    return breakWith(new IOException("it ended with " + Errors.escalate(cause), cause));
  }

  private LogBrokenException breakWith(IOException cause) {
    if (cause instanceof LogBrokenException already) {
      return already;
    }
    LogBrokenException failure =
        new LogBrokenException(
            files.describe(SegmentFormat.name(rotation.active().number())), cause);
    broken = failure;
    return failure;
  }
}
