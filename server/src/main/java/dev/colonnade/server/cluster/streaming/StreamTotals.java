package dev.colonnade.server.cluster.streaming;

import java.util.concurrent.atomic.LongAdder;

/** Counts the streams of one direction since the node started. Thread-safe. */
public final class StreamTotals {

  private final LongAdder done = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder rows = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  StreamTotals() {}

  void ended(boolean succeeded) {
    (succeeded ? done : failed).increment();
  }

  void moved(long moreRows, long moreBytes) {
    rows.add(moreRows);
    bytes.add(moreBytes);
  }

  /** Streams whose rows are all durable at the receiver. */
  public long done() {
    return done.sum();
  }

  /** Streams that ended early. */
  public long failed() {
    return failed.sum();
  }

  /** Rows moved, also by streams that failed later. */
  public long rows() {
    return rows.sum();
  }

  /** Bytes of these rows, in encoded form. */
  public long bytes() {
    return bytes.sum();
  }
}
