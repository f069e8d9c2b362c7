package dev.colonnade.server.node.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.CallTrace.Event;
import dev.colonnade.server.service.consistency.CallTrace.Step;
import dev.colonnade.server.service.consistency.TraceParent;
import dev.colonnade.server.service.rpc.TracedCall;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimScheduler;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a collector gets of sampled calls, and what a collector that fails costs. */
final class TraceExportTest {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT = "b7ad6b7169203331";
  private static final long MILLI = 1_000_000;

  /** Takes spans, refuses them, or holds its answers. */
  private static final class Collector extends TraceServiceGrpc.TraceServiceImplBase {
    private final List<ExportTraceServiceRequest> requests = new ArrayList<>();
    private final List<StreamObserver<ExportTraceServiceResponse>> held = new ArrayList<>();
    private Status answer = Status.OK;
    private long rejects;
    private boolean holds;

    @Override
    public void export(
        ExportTraceServiceRequest request, StreamObserver<ExportTraceServiceResponse> response) {
      requests.add(request);
      if (holds) {
        held.add(response);
      } else if (answer.isOk()) {
        ExportTraceServiceResponse.Builder taken = ExportTraceServiceResponse.newBuilder();
        taken.getPartialSuccessBuilder().setRejectedSpans(rejects);
        response.onNext(taken.build());
        response.onCompleted();
      } else {
        response.onError(answer.asRuntimeException());
      }
    }

    List<Span> spans() {
      return requests.stream()
          .flatMap(request -> request.getResourceSpansList().stream())
          .flatMap(resource -> resource.getScopeSpansList().stream())
          .flatMap(scope -> scope.getSpansList().stream())
          .toList();
    }
  }

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock);
  private final Collector collector = new Collector();
  private Server server;
  private TraceExport export;

  @BeforeEach
  void start() throws Exception {
    String name = "collector-" + UUID.randomUUID();
    server =
        InProcessServerBuilder.forName(name).directExecutor().addService(collector).build().start();
    export =
        new TraceExport(
            InProcessChannelBuilder.forName(name).directExecutor().build(),
            new TraceExport.Teller("n1", "Test Cluster", "1.2.3"),
            clock,
            scheduler,
            new SeededRandom(7));
  }

  @AfterEach
  void stop() {
    export.abort();
    server.shutdownNow();
  }

  private static TracedCall call(String code, Event... events) {
    return new TracedCall(
        "colonnade.v1.ColumnStoreService/Get",
        code,
        "Shop",
        "Orders",
        5 * MILLI,
        new TraceParent(TRACE, PARENT, true),
        List.of(events),
        3);
  }

  private void period() {
    scheduler.advance(TraceExport.PERIOD);
  }

  private static String attribute(List<KeyValue> attributes, String key) {
    return attributes.stream()
        .filter(each -> each.getKey().equals(key))
        .map(each -> each.getValue().getStringValue())
        .findFirst()
        .orElse("no " + key);
  }

  private static ByteString bytes(String digits) {
    return ByteString.copyFrom(HexFormat.of().parseHex(digits));
  }

  @Test
  void aCallIsASpanOfItsCallersTraceWithOneForEachAnswerOfAReplica() {
    long end = clock.wallMicros() * 1_000;
    export.add(
        call(
            "OK",
            new Event(Step.BEGUN, MILLI, MILLI, "n1", "", ""),
            new Event(Step.REPLICA_ANSWERED, 4 * MILLI, 2 * MILLI, "n1", "n2", ""),
            new Event(Step.REPLICA_FAILED, 4 * MILLI, MILLI, "n1", "n3", "it is down")));
    assertEquals(List.of(), collector.requests, "calls wait for others");
    period();
    assertEquals(1, collector.requests.size());
    List<KeyValue> teller =
        collector.requests.get(0).getResourceSpans(0).getResource().getAttributesList();
    assertEquals("colonnade", attribute(teller, "service.name"));
    assertEquals("n1", attribute(teller, "service.instance.id"));
    assertEquals("1.2.3", attribute(teller, "service.version"));
    Span served = collector.spans().get(0);
    assertEquals(bytes(TRACE), served.getTraceId());
    assertEquals(bytes(PARENT), served.getParentSpanId());
    assertEquals(SpanKind.SPAN_KIND_SERVER, served.getKind());
    assertEquals("colonnade.v1.ColumnStoreService/Get", served.getName());
    assertEquals(end - 5 * MILLI, served.getStartTimeUnixNano());
    assertEquals(end, served.getEndTimeUnixNano());
    assertEquals("Shop", attribute(served.getAttributesList(), "db.namespace"));
    assertEquals("Orders", attribute(served.getAttributesList(), "db.collection.name"));
    assertEquals(StatusCode.STATUS_CODE_UNSET, served.getStatus().getCode());
    assertEquals(3, served.getDroppedEventsCount());
    assertEquals("begun", served.getEvents(0).getName());
    assertEquals(end - 4 * MILLI, served.getEvents(0).getTimeUnixNano());
    Span answered = collector.spans().get(1);
    assertEquals(SpanKind.SPAN_KIND_CLIENT, answered.getKind());
    assertEquals(served.getSpanId(), answered.getParentSpanId());
    assertNotEquals(served.getSpanId(), answered.getSpanId());
    assertEquals("n2", attribute(answered.getAttributesList(), "colonnade.replica"));
    assertEquals(end - 3 * MILLI, answered.getStartTimeUnixNano());
    assertEquals(end - MILLI, answered.getEndTimeUnixNano());
    assertEquals("it is down", collector.spans().get(2).getStatus().getMessage());
    assertEquals(3, export.exported());
  }

  @Test
  void onlyWhatTheNodeIsToBlameForIsAnError() {
    List<String> codes = List.of("NOT_FOUND", "INVALID_ARGUMENT", "UNAVAILABLE", "DATA_LOSS");
    codes.forEach(code -> export.add(call(code)));
    period();
    assertEquals(
        List.of(
            StatusCode.STATUS_CODE_UNSET,
            StatusCode.STATUS_CODE_UNSET,
            StatusCode.STATUS_CODE_ERROR,
            StatusCode.STATUS_CODE_ERROR),
        collector.spans().stream().map(span -> span.getStatus().getCode()).toList());
  }

  @Test
  void aFullBatchGoesAtOnceAndOneRequestIsUnderWayAtATime() {
    collector.holds = true;
    for (int i = 0; i < 2 * TraceExport.BATCH_MAX; i++) {
      export.add(call("OK"));
    }
    scheduler.runUntilIdle();
    assertEquals(1, collector.requests.size());
    assertEquals(TraceExport.BATCH_MAX, collector.spans().size());
    collector.holds = false;
    collector.held.get(0).onNext(ExportTraceServiceResponse.getDefaultInstance());
    collector.held.get(0).onCompleted();
    scheduler.runUntilIdle();
    assertEquals(2, collector.requests.size());
    assertEquals(2 * TraceExport.BATCH_MAX, export.exported());
  }

  @Test
  void whatFindsNoRoomIsDroppedAndCounted() {
    collector.holds = true;
    export.add(call("OK"));
    period();
    for (int i = 0; i < TraceExport.CALLS_MAX + 10; i++) {
      export.add(call("OK"));
    }
    assertEquals(10, export.dropped());
  }

  /** Calls with many events take the place of several. */
  @Test
  void eventsThatWaitAreBoundedToo() {
    Event[] many = new Event[256];
    Arrays.fill(many, new Event(Step.BEGUN, MILLI, MILLI, "n1", "", ""));
    collector.holds = true;
    export.add(call("OK"));
    period();
    int room = TraceExport.EVENTS_MAX / many.length;
    for (int i = 0; i < room + 3; i++) {
      export.add(call("OK", many));
    }
    assertEquals(3, export.dropped());
    collector.holds = false;
    collector.held.get(0).onNext(ExportTraceServiceResponse.getDefaultInstance());
    collector.held.get(0).onCompleted();
    period();
    export.add(call("OK", many));
    assertEquals(3, export.dropped(), "there is room again");
  }

  @Test
  void aCollectorThatIsAwayIsTriedAgainAndThenItsSpansAreDropped() {
    collector.answer = Status.UNAVAILABLE;
    export.add(call("OK"));
    for (int i = 1; i < TraceExport.TRIES_MAX; i++) {
      period();
      assertEquals(0, export.dropped());
    }
    period();
    assertEquals(TraceExport.TRIES_MAX, collector.requests.size());
    assertEquals(1, export.dropped());
    export.add(call("OK"));
    period();
    collector.answer = Status.OK;
    period();
    assertEquals(1, export.exported(), "the second call's span, with its second try");
    assertEquals(1, export.dropped());
  }

  @Test
  void whatTheCollectorRefusesIsNotSentAgain() {
    collector.answer = Status.INVALID_ARGUMENT;
    export.add(call("OK"));
    period();
    period();
    assertEquals(1, collector.requests.size());
    assertEquals(1, export.dropped());
    collector.answer = Status.OK;
    collector.rejects = 1;
    export.add(call("OK"));
    export.add(call("OK"));
    period();
    assertEquals(1, export.exported());
    assertEquals(2, export.dropped());
  }

  @Test
  void whatWaitsIsSentAtTheEnd() throws Exception {
    export.add(call("OK"));
    export.close();
    assertEquals(1, collector.spans().size());
    export.add(call("OK"));
    assertEquals(1, export.dropped(), "after the end");
    assertTrue(scheduler.failures().isEmpty());
  }
}
