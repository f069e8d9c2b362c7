package dev.colonnade.cli.local.bench;

import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.ChannelFigures;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.node.platform.GrpcTransport;
import dev.colonnade.server.node.platform.GrpcTransportSettings;
import dev.colonnade.server.node.platform.StageScheduler;
import dev.colonnade.server.node.platform.StageSizes;
import dev.colonnade.server.node.platform.SystemClock;
import dev.colonnade.server.node.tls.PeerTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Messages between two ends in this process, over loopback, with handlers that do nothing: the cost
 * of the messages alone. The processor's time is that of both ends together.
 */
public final class TransportBenchmark implements AutoCloseable {

  /** The cluster that both ends belong to. */
  public static final String CLUSTER = "Benchmark";

  private static final int BODY_BYTES = 1_000;
  private static final int ANSWER_BYTES = 16;
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int CHUNKS_IN_FLIGHT = 32;
  private static final int[] IN_FLIGHT = {1, 16, 64, 1_024};
  private static final Duration RAMP = Duration.ofMillis(200);
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(20);
  private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * What one kind of load was like.
   *
   * @param perSecond requests that were answered
   * @param cpuMicros of both ends, for a request and its answer; not a number where that says
   *     nothing
   * @param framesPerBatch how many messages went out as one, on the way there; as above
   * @param p50Micros of a request and its answer; of heartbeats, how late they arrived
   */
  public record Line(
      String name,
      double perSecond,
      double cpuMicros,
      double framesPerBatch,
      double p50Micros,
      double p99Micros,
      double maxMicros) {}

  private final GrpcTransport asking;
  private final GrpcTransport answering;
  private final StageScheduler scheduler = new StageScheduler(StageSizes.forProcessors(2));
  private final Messenger messenger;
  private final Peer peer;
  private final Recorder heartbeats = new Recorder(3);

  /**
   * The encryption of the two ends, whose certificates are of the cluster {@link #CLUSTER}.
   *
   * @param asking of the end that asks
   * @param answering of the other one
   */
  public record Encryption(PeerTls asking, PeerTls answering) {}

  private TransportBenchmark(
      GrpcTransport asking, GrpcTransport answering, Optional<Encryption> tls) {
    this.asking = asking;
    this.answering = answering;
    SystemClock clock = new SystemClock();
    this.peer = open(answering, tls.map(Encryption::answering), "answering");
    Messenger there = new Messenger(peer, answering, clock, scheduler);
    byte[] answer = new byte[ANSWER_BYTES];
    there.handle(Verb.MUTATION, request -> CompletableFuture.completedFuture(answer));
    there.handle(Verb.STREAM_CHUNK, request -> CompletableFuture.completedFuture(answer));
    there.handle(
        Verb.GOSSIP_SYN,
        request -> {
          long sent = ByteBuffer.wrap(request.body()).getLong();
          heartbeats.recordValue(Math.max(0, System.nanoTime() - sent));
          return CompletableFuture.completedFuture(answer);
        });
    there.start();
    this.messenger =
        new Messenger(
            open(asking, tls.map(Encryption::asking), "asking"), asking, clock, scheduler);
    messenger.start();
  }

  private static Peer open(GrpcTransport transport, Optional<PeerTls> tls, String id) {
    Peer self =
        new Peer(
            tls.map(each -> each.self().hostId()).orElse(id),
            new PeerAddress(InetAddress.getLoopbackAddress().getHostAddress(), transport.port()));
    transport.open(self, CLUSTER);
    return self;
  }

  /**
   * Two ends on free ports of loopback.
   *
   * @param tls empty for connections that are not encrypted
   */
  public static TransportBenchmark start(Optional<Encryption> tls) throws IOException {
    GrpcTransportSettings settings =
        GrpcTransportSettings.forProcessors(Runtime.getRuntime().availableProcessors());
    InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    GrpcTransport asking = bind(anywhere, settings, tls.map(Encryption::asking));
    try {
      return new TransportBenchmark(
          asking, bind(anywhere, settings, tls.map(Encryption::answering)), tls);
    } catch (IOException | RuntimeException e) {
      asking.close();
      throw e;
    }
  }

  private static GrpcTransport bind(
      InetSocketAddress address, GrpcTransportSettings settings, Optional<PeerTls> tls)
      throws IOException {
    return GrpcTransport.bind(address, settings, NodeMemory.unbounded(), tls);
  }

  /**
   * Measures everything, one after the other.
   *
   * @param window how long each is measured
   */
  public List<Line> measure(Duration warmup, Duration window, Consumer<String> progress) {
    progress.accept("Warming up ...");
    awaitConnection();
    requests(1, warmup.dividedBy(2));
    requests(64, warmup);
    List<Line> lines = new ArrayList<>();
    for (int inFlight : IN_FLIGHT) {
      progress.accept("Requests of 1 kB, " + inFlight + " in flight ...");
      lines.add(requests(inFlight, window));
    }
    progress.accept("Chunks of 64 kB in the class BULK, heartbeats in the class GOSSIP ...");
    lines.add(beats("heartbeats, nothing else", window));
    AtomicBoolean enough = new AtomicBoolean();
    Load chunks = new Load(Verb.STREAM_CHUNK, new byte[CHUNK_BYTES], enough);
    Load data = new Load(Verb.MUTATION, new byte[BODY_BYTES], enough);
    try {
      chunks.start(CHUNKS_IN_FLIGHT);
      lines.add(chunks.measure("bulk: chunks of 64 kB, 32 in flight", window));
      lines.add(beats("heartbeats beside full bulk", window));
      data.start(64);
      lines.add(data.measure("data: 1 kB, 64 in flight, beside full bulk", window));
      lines.add(beats("heartbeats beside full bulk and data", window));
    } finally {
      enough.set(true);
    }
    return lines;
  }

  private void awaitConnection() {
    long limit = System.nanoTime() + CONNECT_LIMIT.toNanos();
    while (asking
        .figures(peer.address(), ChannelClass.DATA)
        .filter(ChannelFigures::connected)
        .isEmpty()) {
      if (System.nanoTime() - limit > 0) {
        throw new IllegalStateException("the two ends did not connect within " + CONNECT_LIMIT);
      }
      for (Verb verb : List.of(Verb.MUTATION, Verb.STREAM_CHUNK, Verb.GOSSIP_SYN)) {
        messenger.sendOneWay(peer, verb, new byte[Long.BYTES]);
      }
      PacedLoad.pass(RAMP);
    }
  }

  private Line requests(int inFlight, Duration window) {
    AtomicBoolean enough = new AtomicBoolean();
    Load load = new Load(Verb.MUTATION, new byte[BODY_BYTES], enough);
    try {
      load.start(inFlight);
      return load.measure("data: 1 kB, " + inFlight + " in flight", window);
    } finally {
      enough.set(true);
    }
  }

  /** Sends heartbeats at a steady pace, as gossip does. */
  private Line beats(String name, Duration window) {
    heartbeats.getIntervalHistogram();
    long start = System.nanoTime();
    for (long due = start; due - start < window.toNanos(); due += HEARTBEAT_NANOS) {
      PacedLoad.pass(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
      messenger.sendOneWay(
          peer,
          Verb.GOSSIP_SYN,
          ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).array());
    }
    PacedLoad.pass(RAMP);
    return line(
        name, heartbeats.getIntervalHistogram(), System.nanoTime() - start, Double.NaN, Double.NaN);
  }

  private static Line line(
      String name, Histogram latencies, long wallNanos, double cpuNanos, double framesPerBatch) {
    long count = Math.max(1, latencies.getTotalCount());
    return new Line(
        name,
        latencies.getTotalCount() * NANOS_PER_SECOND / wallNanos,
        cpuNanos / NANOS_PER_MICRO / count,
        framesPerBatch,
        latencies.getValueAtPercentile(Measurement.MEDIAN) / NANOS_PER_MICRO,
        latencies.getValueAtPercentile(Measurement.TAIL) / NANOS_PER_MICRO,
        latencies.getMaxValue() / NANOS_PER_MICRO);
  }

  private static Duration cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    messenger.stop();
    asking.close();
    answering.close();
    scheduler.abandon();
  }

  /** Requests, with a constant number in flight. */
  private final class Load {

    private final Verb verb;
    private final byte[] body;
    private final AtomicBoolean enough;
    private final Recorder latencies = new Recorder(3);
    private final AtomicLong failed = new AtomicLong();

    Load(Verb verb, byte[] body, AtomicBoolean enough) {
      this.verb = verb;
      this.body = body;
      this.enough = enough;
    }

    void start(int inFlight) {
      for (int i = 0; i < inFlight; i++) {
        next();
      }
    }

    private void next() {
      if (enough.get() || failed.get() > 0) {
        return;
      }
      long sent = System.nanoTime();
      var unused =
          messenger
              .request(peer, verb, body, Long.MAX_VALUE)
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null) {
                      latencies.recordValue(System.nanoTime() - sent);
                    } else {
                      failed.incrementAndGet();
                    }
                    next();
                  });
    }

    Line measure(String name, Duration window) {
      PacedLoad.pass(RAMP);
      latencies.getIntervalHistogram();
      long frames = sent(true);
      long batches = sent(false);
      Duration cpuBefore = cpu();
      long start = System.nanoTime();
      PacedLoad.pass(window);
      Histogram measured = latencies.getIntervalHistogram();
      long wall = System.nanoTime() - start;
      Duration cpu = cpu().minus(cpuBefore);
      if (failed.get() > 0) {
        throw new IllegalStateException(failed.get() + " requests failed: " + name);
      }
      double inOne = (double) (sent(true) - frames) / Math.max(1, sent(false) - batches);
      return line(name, measured, wall, (double) cpu.toNanos(), inOne);
    }

    private long sent(boolean frames) {
      ChannelClass channel = verb.channelClass();
      return asking
          .figures(peer.address(), channel)
          .map(figures -> frames ? figures.sentFrames() : figures.sentBatches())
          .orElse(0L);
    }
  }
}
