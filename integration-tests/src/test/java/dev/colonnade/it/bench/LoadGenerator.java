package dev.colonnade.it.bench;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
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
final class LoadGenerator {

  private static final int SIGNIFICANT_DIGITS = 3;

  /** How often a window looks whether a call has failed. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(30);

  private final Channel channel;
  private final MethodDescriptor<byte[], byte[]> method;
  private final Supplier<byte[]> requests;
  private final Recorder latencyNanos = new Recorder(SIGNIFICANT_DIGITS);
  private final AtomicReference<@Nullable Status> failure = new AtomicReference<>();
  private final Phaser inFlight = new Phaser(1);
  private volatile boolean stopped;

  /**
   * @param requests asked from the channel's threads, so it must be thread-safe
   */
  LoadGenerator(
      Channel channel, MethodDescriptor<byte[], byte[]> method, Supplier<byte[]> requests) {
    this.channel = channel;
    this.method = method;
    this.requests = requests;
  }

  void start(int calls) {
    for (int i = 0; i < calls; i++) {
      inFlight.register();
      next();
    }
  }

  /** Lets the load run for a while and gives back the latencies, in nanoseconds, of that while. */
  Histogram run(Duration time) {
    latencyNanos.getIntervalHistogram();
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
      Status status = failure.get();
      if (status != null) {
        throw new IllegalStateException(method.getFullMethodName() + " failed: " + status);
      }
    }
    return latencyNanos.getIntervalHistogram();
  }

  /** Starts no further call and waits for those under way. */
  void stop() throws InterruptedException {
    stopped = true;
    int phase = inFlight.arrive();
    try {
      inFlight.awaitAdvanceInterruptibly(phase, DRAIN_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException("calls of " + method.getFullMethodName() + " hang", e);
    }
  }

  private void next() {
    ClientCall<byte[], byte[]> call = channel.newCall(method, CallOptions.DEFAULT);
    call.start(new Answer(System.nanoTime()), new Metadata());
    call.request(1);
    call.sendMessage(requests.get());
    call.halfClose();
  }

  private final class Answer extends ClientCall.Listener<byte[]> {

    private final long sentNanos;

    Answer(long sentNanos) {
      this.sentNanos = sentNanos;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      latencyNanos.recordValue(System.nanoTime() - sentNanos);
      if (!status.isOk()) {
        failure.compareAndSet(null, status);
      }
      if (stopped || !status.isOk()) {
        inFlight.arriveAndDeregister();
      } else {
        next();
      }
    }
  }
}
