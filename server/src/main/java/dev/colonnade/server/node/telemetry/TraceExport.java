package dev.colonnade.server.node.telemetry;

import com.google.protobuf.ByteString;
import dev.colonnade.server.base.config.TelemetrySettings;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.rpc.TracedCall;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the traces of sampled calls to a collector of OpenTelemetry, by OTLP over gRPC.
 *
 * <ul>
 *   <li>At most {@value #CALLS_MAX} calls wait, with {@value #EVENTS_MAX} events in all. Further
 *       ones are dropped and counted, so that a collector that is slow or gone costs the node
 *       nothing but their traces.
 *   <li>One request is under way at a time, with {@value #BATCH_MAX} calls at most. One that fails
 *       in a way that may pass is sent again with the next period, {@value #TRIES_MAX} times in
 *       all.
 *   <li>The log has a line when the collector begins to fail, and one when it takes spans again.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class TraceExport {

  private static final Logger LOG = LoggerFactory.getLogger(TraceExport.class);

  static final int CALLS_MAX = 2_048;
  static final int EVENTS_MAX = 32_768;
  static final int BATCH_MAX = 256;
  static final int TRIES_MAX = 5;

  /** How long a call waits at most for others to be sent with. */
  static final Duration PERIOD = Duration.ofSeconds(5);

  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Duration LAST_BATCH = Duration.ofSeconds(2);
  private static final long NANOS_PER_MICRO = 1_000;

  /** What OTLP says may be sent again. */
  private static final Set<Status.Code> PASSING =
      EnumSet.of(
          Status.Code.CANCELLED,
          Status.Code.DEADLINE_EXCEEDED,
          Status.Code.ABORTED,
          Status.Code.OUT_OF_RANGE,
          Status.Code.UNAVAILABLE,
          Status.Code.DATA_LOSS);

  /**
   * Who tells.
   *
   * @param nodeId its host id
   */
  public record Teller(String nodeId, String cluster, String version) {}

  /** A call that waits, and when it ended. */
  private record Waiting(TracedCall call, long endMicros) {}

  /** What is sent together. */
  private record Batch(ExportTraceServiceRequest request, int spans, int tries) {}

  private final ManagedChannel channel;
  private final Teller teller;
  private final Clock clock;
  private final Scheduler scheduler;
  private final RandomSource random;
  private final Scheduler.Cancellable timer;

  // Guarded by this.
  private final Queue<Waiting> waiting = new ArrayDeque<>();
  private int waitingEvents;
  private @Nullable Batch again;
  private boolean sending;
  private boolean failing;
  private boolean closed;
  private long exported;
  private long dropped;

  /**
   * Starts to send.
   *
   * @param channel to the collector, which {@link #close} closes
   * @param random for the ids of spans
   */
  TraceExport(
      ManagedChannel channel,
      Teller teller,
      Clock clock,
      Scheduler scheduler,
      RandomSource random) {
    this.channel = channel;
    this.teller = teller;
    this.clock = clock;
    this.scheduler = scheduler;
    this.random = random;
    this.timer = scheduler.every(PERIOD, Stage.LARGE, this::send);
  }

  /**
   * Starts to send to a collector, which it connects to when there is something to send.
   *
   * @param endpoint as {@link TelemetrySettings#OTLP_ENDPOINT} has it
   * @return null if there is no collector
   */
  public static @Nullable TraceExport to(
      String endpoint, Teller teller, Clock clock, Scheduler scheduler, RandomSource random) {
    return endpoint.isEmpty()
        ? null
        : new TraceExport(connect(endpoint), teller, clock, scheduler, random);
  }

  private static ManagedChannel connect(String endpoint) {
    URI uri = URI.create(endpoint);
    ChannelCredentials credentials =
        uri.getScheme().equals("https")
            ? TlsChannelCredentials.create()
            : InsecureChannelCredentials.create();
    // What runs there only counts and queues.
    return Grpc.newChannelBuilderForAddress(uri.getHost(), uri.getPort(), credentials)
        .directExecutor()
        .build();
  }

  /** Takes in a call that ended now. Called on event loops: only queues it. */
  public void add(TracedCall call) {
    synchronized (this) {
      int events = call.events().size();
      if (closed || waiting.size() >= CALLS_MAX || waitingEvents + events > EVENTS_MAX) {
        dropped++;
        return;
      }
      waitingEvents += events;
      waiting.add(new Waiting(call, clock.wallMicros()));
      if (waiting.size() % BATCH_MAX != 0) {
        return;
      }
    }
    sendSoon();
  }

  /** Spans that the collector took. */
  public synchronized long exported() {
    return exported;
  }

  /** Calls that found no room, and spans that the collector did not take. */
  public synchronized long dropped() {
    return dropped;
  }

  private void sendSoon() {
    if (!scheduler.submit(Stage.LARGE, this::send)) {
      // The timer sends what waits.
      LOG.debug("no room on the stage for an export of traces");
    }
  }

  /** Sends a batch, unless one is under way. */
  private void send() {
    Batch repeated;
    List<Waiting> calls;
    synchronized (this) {
      if (sending || (again == null && waiting.isEmpty())) {
        return;
      }
      sending = true;
      repeated = again;
      again = null;
      calls = repeated == null ? takeWaiting() : List.of();
    }
    // Outside of the lock, which event loops take: a batch may have thousands of events.
    Batch batch = repeated == null ? batchOf(calls) : repeated;
    TraceServiceGrpc.newStub(channel)
        .withDeadlineAfter(DEADLINE.toNanos(), TimeUnit.NANOSECONDS)
        .export(batch.request(), answerTo(batch));
  }

  /** Takes the calls that waited longest. Called under the lock. */
  private List<Waiting> takeWaiting() {
    List<Waiting> taken = new ArrayList<>();
    while (taken.size() < BATCH_MAX && !waiting.isEmpty()) {
      Waiting next = waiting.remove();
      waitingEvents -= next.call().events().size();
      taken.add(next);
    }
    return taken;
  }

  private Batch batchOf(List<Waiting> calls) {
    List<Span> spans = new ArrayList<>();
    for (Waiting next : calls) {
      spans.addAll(CallSpans.of(next.call(), next.endMicros() * NANOS_PER_MICRO, this::newId));
    }
    return new Batch(request(spans), spans.size(), 1);
  }

  private ByteString newId() {
    byte[] id = new byte[CallSpans.ID_BYTES];
    random.nextBytes(id);
    // An id of zeros only would mean that there is none.
    id[0] |= 1;
    return ByteString.copyFrom(id);
  }

  private ExportTraceServiceRequest request(List<Span> spans) {
    Resource.Builder resource =
        Resource.newBuilder()
            .addAttributes(CallSpans.text("service.name", "colonnade"))
            .addAttributes(CallSpans.text("service.namespace", teller.cluster()))
            .addAttributes(CallSpans.text("service.instance.id", teller.nodeId()))
            .addAttributes(CallSpans.text("service.version", teller.version()));
    InstrumentationScope.Builder scope =
        InstrumentationScope.newBuilder()
            .setName("dev.colonnade.server")
            .setVersion(teller.version());
    return ExportTraceServiceRequest.newBuilder()
        .addResourceSpans(
            ResourceSpans.newBuilder()
                .setResource(resource)
                .addScopeSpans(ScopeSpans.newBuilder().setScope(scope).addAllSpans(spans)))
        .build();
  }

  private StreamObserver<ExportTraceServiceResponse> answerTo(Batch batch) {
    return new StreamObserver<>() {
      @Override
      public void onNext(ExportTraceServiceResponse answer) {
        taken(batch, answer);
      }

      @Override
      public void onError(Throwable failure) {
        failed(batch, Status.fromThrowable(failure));
      }

      @Override
      public void onCompleted() {
        boolean more;
        synchronized (TraceExport.this) {
          sending = false;
          more = waiting.size() >= BATCH_MAX;
        }
        if (more) {
          sendSoon();
        }
      }
    };
  }

  private void taken(Batch batch, ExportTraceServiceResponse answer) {
    boolean works;
    synchronized (this) {
      long rejected =
          Math.max(0, Math.min(batch.spans(), answer.getPartialSuccess().getRejectedSpans()));
      exported += batch.spans() - rejected;
      dropped += rejected;
      works = failing;
      failing = false;
    }
    if (works) {
      LOG.info("the collector of traces takes spans again");
    }
  }

  private void failed(Batch batch, Status status) {
    boolean first;
    synchronized (this) {
      sending = false;
      if (PASSING.contains(status.getCode()) && batch.tries() < TRIES_MAX && !closed) {
        again = new Batch(batch.request(), batch.spans(), batch.tries() + 1);
      } else {
        dropped += batch.spans();
      }
      first = !failing;
      failing = true;
    }
    if (first) {
      LOG.warn(
          "the collector of traces (otlp_endpoint) does not take spans: {}; they are kept or"
              + " dropped, and counted, and this is not logged again until it does",
          status);
    }
  }

  /** Sends what waits, without repetitions, and closes the connection. Blocks for two seconds. */
  public void close() throws InterruptedException {
    timer.cancel();
    synchronized (this) {
      closed = true;
    }
    send();
    channel.shutdown();
    if (!channel.awaitTermination(LAST_BATCH.toNanos(), TimeUnit.NANOSECONDS)) {
      channel.shutdownNow();
    }
  }

  /** Closes the connection at once. */
  public void abort() {
    timer.cancel();
    synchronized (this) {
      closed = true;
    }
    channel.shutdownNow();
  }
}
