package dev.colonnade.cli.local.bench;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** Keeps a fixed number of calls in flight; each answer starts the next call. */
public final class LoadGenerator {

  private static final int SIGNIFICANT_DIGITS = 3;

  /** How often a window checks whether a call has failed. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(30);

  private final Channel channel;
  private final Supplier<RawCall> calls;
  private final Recorder latencyNanos = new Recorder(SIGNIFICANT_DIGITS);
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
  private final Phaser inFlight = new Phaser(1);
  private volatile boolean stopped;

  /**
   * Load that has not begun.
   *
   * @param calls asked from the channel's threads, so it must be thread-safe
   */
  public LoadGenerator(Channel channel, Supplier<RawCall> calls) {
    this.channel = channel;
    this.calls = calls;
  }

  /** Starts a number of calls. */
  public void start(int count) {
    for (int i = 0; i < count; i++) {
      inFlight.register();
      next();
    }
  }

  /**
   * Lets the load run for a while and gives back the latencies, in nanoseconds, of that while.
   *
   * @throws IllegalStateException if a call fails
   */
  public Histogram run(Duration time) {
    latencyNanos.getIntervalHistogram();
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
      String failed = failure.get();
      if (failed != null) {
        throw new IllegalStateException(failed);
      }
    }
    return latencyNanos.getIntervalHistogram();
  }

  /** Starts no further call and waits for those in progress. */
  public void stop() throws InterruptedException {
    stopped = true;
    int phase = inFlight.arrive();
    try {
      inFlight.awaitAdvanceInterruptibly(phase, DRAIN_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException(
          "calls have no answer after " + DRAIN_LIMIT.toSeconds() + " s", e);
    }
  }

  private void next() {
    RawCall raw = calls.get();
    ClientCall<byte[], byte[]> call = channel.newCall(raw.method(), CallOptions.DEFAULT);
    call.start(new Answer(raw.method().getFullMethodName(), System.nanoTime()), new Metadata());
    call.request(1);
    call.sendMessage(raw.request());
    call.halfClose();
  }

  private final class Answer extends ClientCall.Listener<byte[]> {

    private final String method;
    private final long sentNanos;

    Answer(String method, long sentNanos) {
      this.method = method;
      this.sentNanos = sentNanos;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      latencyNanos.recordValue(System.nanoTime() - sentNanos);
      if (!status.isOk()) {
        failure.compareAndSet(null, method + " failed: " + status);
      }
      if (stopped || !status.isOk()) {
        inFlight.arriveAndDeregister();
      } else {
        next();
      }
    }
  }
}
