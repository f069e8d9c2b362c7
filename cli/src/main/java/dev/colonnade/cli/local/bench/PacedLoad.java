package dev.colonnade.cli.local.bench;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A number of calls per second, whether or not earlier ones have been answered: load that does not
 * wait for what it measures. A call's latency counts from when it was due, in the window in which
 * it was.
 */
public final class PacedLoad {

  private static final long IN_FLIGHT_MAX = 20_000;
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final Channel channel;
  private final Supplier<RawCall> calls;
  private final long gapNanos;
  private final LatencySeries series;
  private final AtomicLong inFlight = new AtomicLong();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final Thread thread = new Thread(this::send, "paced-load");

  /**
   * Load that has not begun.
   *
   * @param series takes latencies and failures
   */
  public PacedLoad(
      Channel channel, Supplier<RawCall> calls, int callsPerSecond, LatencySeries series) {
    this.channel = channel;
    this.calls = calls;
    this.gapNanos = TimeUnit.SECONDS.toNanos(1) / callsPerSecond;
    this.series = series;
    thread.setDaemon(true);
  }

  /** Begins. */
  public void start() {
    thread.start();
  }

  /** Lets it run. */
  public static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Sends nothing more, and waits for answers, up to a limit. */
  public void stop() throws InterruptedException {
    stopped.set(true);
    thread.join();
    long end = System.nanoTime() + DRAIN_NANOS;
    while (inFlight.get() > 0 && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  private void send() {
    long due = System.nanoTime();
    while (!stopped.get()) {
      long wait = due - System.nanoTime();
      if (wait > 0) {
        LockSupport.parkNanos(wait);
        continue;
      }
      if (inFlight.get() >= IN_FLIGHT_MAX) {
        series.failed(due);
      } else {
        call(due);
      }
      due += gapNanos;
    }
  }

  private void call(long dueNanos) {
    inFlight.incrementAndGet();
    RawCall raw = calls.get();
    ClientCall<byte[], byte[]> call = channel.newCall(raw.method(), CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            inFlight.decrementAndGet();
            if (status.isOk()) {
              series.answered(dueNanos, System.nanoTime());
            } else {
              series.failed(dueNanos);
            }
          }
        },
        new Metadata());
    call.request(1);
    call.sendMessage(raw.request());
    call.halfClose();
  }
}
