package dev.colonnade.server.node;

import dev.colonnade.server.base.codec.AtomicFile;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The greatest timestamp that the node may give out, in a file beside the manifest. A start that
 * finds its clock behind what an earlier run had reached gives out greater ones only.
 *
 * <p>The file is replaced about once a second while timestamps are given out, so it is up to two
 * seconds ahead of the clock. A clock that was set back by less than that, while the node was down,
 * is not noticed: to run ahead after every restart would be worse, because writes through other
 * nodes would lose against it. No timestamp waits for the file: those of the moment between the
 * first after a pause and its reservation are above it. The file's body is the timestamp, in
 * microseconds since 1970 (8 bytes).
 *
 * <p>Thread-safe; only {@link #open} blocks.
 */
final class ReservedTimestamps implements IncreasingTimestamps.Limit {

  /** The name of the file. */
  static final String NAME = "TIMESTAMPS";

  private static final Logger LOG = LoggerFactory.getLogger(ReservedTimestamps.class);
  private static final FileFormat FORMAT = new FileFormat("reserved timestamps", "TIME", 1, 1);

  /** How far ahead of a timestamp that is given out others are reserved. */
  private static final long WINDOW_MICROS = 2_000_000;

  /** When so little is left, more is reserved. */
  private static final long RENEWED_MICROS = WINDOW_MICROS / 2;

  private final FileSystem files;
  private final Scheduler scheduler;
  private final AtomicBoolean writing = new AtomicBoolean();
  private final long first;
  private volatile long reserved;
  private volatile boolean failing;

  private ReservedTimestamps(FileSystem files, Scheduler scheduler, long first) {
    this.files = files;
    this.scheduler = scheduler;
    this.first = first;
    this.reserved = first;
  }

  /**
   * Reads what earlier runs reserved, and reserves more.
   *
   * @param nowMicros by the clock
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if the file is damaged, or of
   *     another release
   */
  static ReservedTimestamps open(FileSystem files, Scheduler scheduler, long nowMicros)
      throws IOException {
    long first = nowMicros;
    if (files.exists(NAME)) {
      long before = read(files);
      // The clock, or the last timestamp, was there when this was reserved.
      boolean setBack = nowMicros < before - WINDOW_MICROS;
      first = setBack ? before : nowMicros;
    }
    ReservedTimestamps timestamps = new ReservedTimestamps(files, scheduler, first);
    timestamps.write(timestamps.first + WINDOW_MICROS);
    return timestamps;
  }

  private static long read(FileSystem files) throws IOException {
    try {
      ByteReader body = new ByteReader(AtomicFile.read(files, NAME, FORMAT));
      long micros = body.readLong();
      body.expectEnd("reserved timestamps");
      return micros;
    } catch (CorruptDataException e) {
      throw e.inFile(files.describe(NAME), 0);
    }
  }

  private void write(long micros) throws IOException {
    ByteWriter body = new ByteWriter(Long.BYTES);
    body.writeLong(micros);
    AtomicFile.write(files, "", NAME + ".tmp", NAME, FORMAT, body);
    reserved = micros;
  }

  @Override
  public long first() {
    return first;
  }

  /** Reserves more if little is left. */
  @Override
  public void wanted(long micros) {
    if (micros > reserved - RENEWED_MICROS && writing.compareAndSet(false, true)) {
      boolean queued = false;
      try {
        queued = scheduler.submit(Stage.LOG, () -> renew(micros + WINDOW_MICROS));
      } finally {
        if (!queued) {
          writing.set(false);
        }
      }
    }
  }

  private void renew(long micros) {
    try {
      write(micros);
      failing = false;
    } catch (IOException e) {
      if (!failing) {
        LOG.warn(
            "{} could not be written; after a restart with a clock that was set back, timestamps"
                + " may fall below those from before",
            files.describe(NAME),
            e);
      }
      failing = true;
    } finally {
      writing.set(false);
    }
  }
}
