package dev.colonnade.server.node.telemetry;

import com.google.protobuf.ByteString;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.rpc.TracedCall;
import io.grpc.Status;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Translates calls to spans of OpenTelemetry: one of a server for the call itself, which has the
 * events of the trace, and in it one of a client for each answer of a replica. Names follow the
 * semantic conventions for RPC and for databases where those have one.
 *
 * <p>As the trace itself they have no key, column name or value.
 */
final class CallSpans {

  /** The bytes of a span's id. */
  static final int ID_BYTES = 8;

  /** What the conventions call an error of a server: the caller is not to blame. */
  private static final Set<Status.Code> ERRORS =
      EnumSet.of(
          Status.Code.UNKNOWN,
          Status.Code.DEADLINE_EXCEEDED,
          Status.Code.UNIMPLEMENTED,
          Status.Code.INTERNAL,
          Status.Code.UNAVAILABLE,
          Status.Code.DATA_LOSS);

  private static final long NANOS_PER_MICRO = 1_000;

  private CallSpans() {}

  /**
   * The spans of a call.
   *
   * @param endEpochNanos when it ended, since 1970
   * @param ids draws the id of a span, of {@value #ID_BYTES} bytes
   */
  static List<Span> of(TracedCall call, long endEpochNanos, Supplier<ByteString> ids) {
    long start = endEpochNanos - call.nanos();
    ByteString traceId = bytes(call.parent().traceId());
    ByteString id = ids.get();
    Span.Builder served =
        Span.newBuilder()
            .setTraceId(traceId)
            .setSpanId(id)
            .setParentSpanId(bytes(call.parent().parentId()))
            .setName(call.method())
            .setKind(SpanKind.SPAN_KIND_SERVER)
            .setStartTimeUnixNano(start)
            .setEndTimeUnixNano(endEpochNanos)
            .setDroppedEventsCount((int) Math.min(Integer.MAX_VALUE, call.dropped()))
            .addAttributes(text("rpc.system", "grpc"))
            .addAttributes(text("db.system.name", "colonnade"));
    addText(served, "db.namespace", call.keyspace());
    addText(served, "db.collection.name", call.family());
    Status.Code code = Status.Code.valueOf(call.statusCode());
    served.addAttributes(number("rpc.grpc.status_code", code.value()));
    if (ERRORS.contains(code)) {
      served.getStatusBuilder().setCode(StatusCode.STATUS_CODE_ERROR).setMessage(code.name());
    }
    List<Span> spans = new ArrayList<>();
    for (CallTrace.Event event : call.events()) {
      switch (event.step()) {
        case REPLICA_ANSWERED, REPLICA_FAILED ->
            spans.add(replica(event, start, traceId, id, ids.get()));
        default -> served.addEvents(event(event, start));
      }
    }
    spans.add(0, served.build());
    return spans;
  }

  /** A request to a replica, from when it was asked until it answered. */
  private static Span replica(
      CallTrace.Event event, long start, ByteString traceId, ByteString parent, ByteString id) {
    Span.Builder asked =
        Span.newBuilder()
            .setTraceId(traceId)
            .setSpanId(id)
            .setParentSpanId(parent)
            .setName("replica")
            .setKind(SpanKind.SPAN_KIND_CLIENT)
            .setStartTimeUnixNano(start + event.nanos() - event.durationNanos())
            .setEndTimeUnixNano(start + event.nanos())
            .addAttributes(text("colonnade.replica", event.peer()));
    if (event.step() == CallTrace.Step.REPLICA_FAILED) {
      asked.getStatusBuilder().setCode(StatusCode.STATUS_CODE_ERROR).setMessage(event.detail());
    } else {
      addText(asked, "colonnade.detail", event.detail());
    }
    return asked.build();
  }

  private static Span.Event event(CallTrace.Event event, long start) {
    Span.Event.Builder told =
        Span.Event.newBuilder()
            .setTimeUnixNano(start + event.nanos())
            .setName(event.step().name().toLowerCase(Locale.ROOT))
            .addAttributes(text("colonnade.node", event.node()));
    if (!event.peer().isEmpty()) {
      told.addAttributes(text("colonnade.replica", event.peer()));
    }
    if (!event.detail().isEmpty()) {
      told.addAttributes(text("colonnade.detail", event.detail()));
    }
    if (event.durationNanos() > 0) {
      told.addAttributes(number("colonnade.duration_us", event.durationNanos() / NANOS_PER_MICRO));
    }
    return told.build();
  }

  private static void addText(Span.Builder span, String key, String value) {
    if (!value.isEmpty()) {
      span.addAttributes(text(key, value));
    }
  }

  /** An attribute with a text. */
  static KeyValue text(String key, String value) {
    return KeyValue.newBuilder()
        .setKey(key)
        .setValue(AnyValue.newBuilder().setStringValue(value))
        .build();
  }

  private static KeyValue number(String key, long value) {
    return KeyValue.newBuilder()
        .setKey(key)
        .setValue(AnyValue.newBuilder().setIntValue(value))
        .build();
  }

  private static ByteString bytes(String hexadecimal) {
    return ByteString.copyFrom(HexFormat.of().parseHex(hexadecimal));
  }
}
