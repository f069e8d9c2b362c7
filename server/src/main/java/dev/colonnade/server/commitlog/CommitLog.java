package dev.colonnade.server.commitlog;

import dev.colonnade.server.async.Errors;
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

/**
 * The commit log of a node. {@link #append} and {@link #tryAppend} are called by one thread at a
 * time; every other method by any thread at any time.
 *
 * <p>{@link #tryAppend} makes one write to an open file and nothing else: it creates, syncs and
 * deletes no file, and waits for no lock, so that event loops may call it. For that the next
 * segment is made ahead, with {@link #prepare}, which like all other methods but those that say
 * otherwise may wait for the disk.
 */
public final class CommitLog implements Closeable {
  private static final int BUFFER_BYTES = 1 << 16;

  /** What the buffer may keep after a large append. */
  private static final int BUFFER_BYTES_KEPT = 1 << 20;

  private final FileSystem files;
  private final CommitLogSettings settings;
  private final LiveSegments segments;
  private final LogRecovery recovery;
  private final LogPosition begin;
  private final SegmentRotation rotation;
  private final ByteWriter buffer = new ByteWriter(BUFFER_BYTES);

  /** Held during every operation on the disk but the write of a group: one at a time. */
  private final Object syncLock = new Object();

  /** A write found no room, and what it left behind has still to be cut off. */
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

  /**
   * Replays the log in the root of {@code files}, then opens a new segment for appending. Other
   * files there are left alone.
   *
   * @param inventory knows which segments there must be
   * @param flushedUpTo the greatest position that any family is known to be flushed to: new records
   *     come after it even if the log's directory was lost
   * @throws dev.colonnade.server.codec.UnreadableFileException if a segment is missing, damaged or
   *     of another release. Nothing has been changed then.
   */
  public static CommitLog open(
      FileSystem files,
      SegmentInventory inventory,
      CommitLogSettings settings,
      LogPosition flushedUpTo,
      LogReplay replay)
      throws IOException {
    return LogOpening.open(files, inventory, settings, flushedUpTo, replay);
  }

  /** What {@link #open} found. */
  public LogRecovery recovery() {
    return recovery;
  }

  /**
   * Appends all the records in one write, and makes a new segment for them if there is none and
   * they need one. When it returns they are with the system: they survive the end of this process,
   * and a crash of the machine only after {@link #sync}.
   *
   * @throws IllegalArgumentException if the list is empty or a record is too large; nothing has
   *     been written then
   * @throws LogRefusedException if there is no room, or no new segment could be made. Nothing has
   *     been written then, and the log goes on.
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
   * @return null if the disk would have to be waited for: the same group is to be given to {@link
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
   * A write that found no room has left a part of itself. No sync has failed, so what was written
   * before is as good as it was: the part is cut off, durably, so that no restart finds a record
   * whose writer was told no.
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

  /** Whether the next segment is there, so that no append has to wait for it; does not block. */
  public boolean isPrepared() {
    return rotation.isReady() || closed || broken != null;
  }

  /**
   * Makes the next segment, if it is not there, once all before the present one is durable.
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
   * @throws LogBrokenException if this or an earlier operation failed. It is not worth trying
   *     again: the system may have thrown away what it could not write.
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
   * Notes that a record of {@code family} need not be kept, because the family is gone. What that
   * lets go is deleted with the next notice; this does not block.
   */
  public void forget(FamilyId family) {
    segments.dropped(family);
  }

  /**
   * Goes on in a new segment, so that the one before can be deleted, and deletes what nobody needs
   * any more. Not to be called during an append.
   *
   * @throws LogBrokenException if this or an earlier operation failed
   * @throws IOException if a segment could not be made or deleted. The log goes on.
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
    SegmentWriter segment = rotation.active();
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
        rotation.closeFiles();
      } else {
        rotation.close();
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
   * The segment that the next {@code bytes} go to: the next one if they do not fit the present one.
   * Null if that is not there yet.
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

  /** How far the operation came is unknown, as after one that failed. */
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
