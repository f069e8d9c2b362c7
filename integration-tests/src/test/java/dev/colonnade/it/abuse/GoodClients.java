package dev.colonnade.it.abuse;

import com.google.protobuf.ByteString;
import dev.colonnade.cli.local.bench.RawCalls;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Well-behaved clients: four connections, over which small reads and writes go at a steady pace
 * that is far below what the node can do, whether or not earlier ones were answered. A call is good
 * when it is answered within a second of when it was due; from then its latency counts, too.
 */
final class GoodClients implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final int CALLS_PER_SECOND = 400;
  private static final long GOOD_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long DEADLINE_SECONDS = 5;
  private static final int IN_FLIGHT_MAX = 4_000;
  private static final Duration RAMP = Duration.ofSeconds(1);

  private final List<ManagedChannel> channels = new ArrayList<>();
  private final Recorder readNanos = new Recorder(3);
  private final Recorder writeNanos = new Recorder(3);
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Thread thread = new Thread(this::send, "good-clients");
  private volatile Tally tally = new Tally();
  private volatile Tally late = new Tally();
  private volatile boolean closed;

  /**
   * The figures of an interval.
   *
   * @param due calls that should have been made
   * @param good calls that were answered in time
   * @param all latencies of reads and writes, in nanoseconds
   * @param reads those of reads
   * @param writes those of writes
   */
  record Figures(
      long due, long good, Histogram all, Histogram reads, Histogram writes, Tally.Counts counts) {

    static double p99Millis(Histogram nanos) {
      return nanos.getValueAtPercentile(99) / 1e6;
    }

    double p99Millis() {
      return p99Millis(all);
    }

    double goodput() {
      return due == 0 ? 0 : (double) good / due;
    }
  }

  private GoodClients(Target target) {
    for (int i = 0; i < CONNECTIONS; i++) {
      channels.add(target.channel());
    }
    thread.setDaemon(true);
  }

  /** Begins. */
  static GoodClients start(Target target) {
    GoodClients clients = new GoodClients(target);
    clients.thread.start();
    return clients;
  }

  /** The figures of the next interval, after a moment that does not count. */
  Figures measure(Duration time) {
    pass(RAMP);
    readNanos.getIntervalHistogram();
    writeNanos.getIntervalHistogram();
    Tally mine = new Tally();
    Tally mineLate = new Tally();
    tally = mine;
    late = mineLate;
    long begin = System.nanoTime();
    pass(time);
    double seconds = (System.nanoTime() - begin) / 1e9;
    Histogram reads = readNanos.getIntervalHistogram();
    Histogram writes = writeNanos.getIntervalHistogram();
    Histogram all = reads.copy();
    all.add(writes);
    Tally.Counts counts = mine.counts();
    long good = counts.ok() - mineLate.counts().ok();
    return new Figures((long) (seconds * CALLS_PER_SECOND), good, all, reads, writes, counts);
  }

  /** Whether one call is answered well now. */
  boolean isServed() {
    Figures figures = measure(Duration.ofMillis(500));
    return figures.goodput() > 0.9;
  }

  static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void send() {
    long gap = TimeUnit.SECONDS.toNanos(1) / CALLS_PER_SECOND;
    long due = System.nanoTime();
    int number = 0;
    while (!closed) {
      long wait = due - System.nanoTime();
      if (wait > 0) {
        LockSupport.parkNanos(wait);
        continue;
      }
      if (inFlight.get() < IN_FLIGHT_MAX) {
        call(channels.get(number % CONNECTIONS), due);
      }
      number++;
      due += gap;
    }
  }

  private void call(ManagedChannel channel, long dueNanos) {
    int kind = ThreadLocalRandom.current().nextInt(10);
    if (kind < 5) {
      call(channel, ColumnStoreServiceGrpc.getGetMethod(), get(), readNanos, dueNanos);
    } else if (kind < 8) {
      call(channel, ColumnStoreServiceGrpc.getGetSliceMethod(), slice(), readNanos, dueNanos);
    } else {
      call(channel, ColumnStoreServiceGrpc.getInsertMethod(), insert(), writeNanos, dueNanos);
    }
  }

  private void call(
      ManagedChannel channel,
      MethodDescriptor<?, ?> method,
      byte[] request,
      Recorder latencyNanos,
      long dueNanos) {
    inFlight.incrementAndGet();
    Tally into = tally;
    Tally intoLate = late;
    ClientCall<byte[], byte[]> call =
        channel.newCall(
            RawCalls.method(method.getFullMethodName()),
            CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS));
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            inFlight.decrementAndGet();
            long nanos = System.nanoTime() - dueNanos;
            latencyNanos.recordValue(Math.max(0, nanos));
            into.ended(status);
            if (status.isOk() && nanos > GOOD_NANOS) {
              intoLate.ok();
            }
          }
        },
        new Metadata());
    call.request(1);
    call.sendMessage(request);
    call.halfClose();
  }

  private static int random(int bound) {
    return ThreadLocalRandom.current().nextInt(bound);
  }

  private static ByteString key() {
    return Target.goodKey(random(Target.GOOD_ROWS));
  }

  static byte[] get() {
    return GetRequest.newBuilder()
        .setKeyspace(Target.GOOD_KEYSPACE)
        .setKey(key())
        .setColumnPath(
            ColumnPath.newBuilder()
                .setColumnFamily(Target.GOOD)
                .setColumn(Target.goodName(random(Target.GOOD_COLUMNS))))
        .build()
        .toByteArray();
  }

  private static byte[] slice() {
    return GetSliceRequest.newBuilder()
        .setKeyspace(Target.GOOD_KEYSPACE)
        .setKey(key())
        .setColumnParent(ColumnParent.newBuilder().setColumnFamily(Target.GOOD))
        .setPredicate(
            SlicePredicate.newBuilder()
                .setSliceRange(SliceRange.newBuilder().setCount(Target.GOOD_COLUMNS)))
        .build()
        .toByteArray();
  }

  private static byte[] insert() {
    return InsertRequest.newBuilder()
        .setKeyspace(Target.GOOD_KEYSPACE)
        .setKey(key())
        .setColumnParent(ColumnParent.newBuilder().setColumnFamily(Target.GOOD))
        .setColumn(
            Target.column(
                "c" + random(Target.GOOD_COLUMNS),
                Target.noise(Target.GOOD_VALUE_BYTES, random(1_000))))
        .build()
        .toByteArray();
  }

  @Override
  public void close() {
    closed = true;
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
