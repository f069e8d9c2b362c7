package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import dev.colonnade.server.base.config.TelemetrySettings;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with otlp_endpoint, a collector on a port, and a client that samples one of two calls. */
final class TracesReachACollectorTest {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  @TempDir private Path folder;

  /** Takes all spans. */
  private static final class Collector extends TraceServiceGrpc.TraceServiceImplBase {
    private final Queue<Span> spans = new ConcurrentLinkedQueue<>();

    @Override
    public void export(
        ExportTraceServiceRequest request, StreamObserver<ExportTraceServiceResponse> response) {
      request
          .getResourceSpansList()
          .forEach(of -> of.getScopeSpansList().forEach(in -> spans.addAll(in.getSpansList())));
      response.onNext(ExportTraceServiceResponse.getDefaultInstance());
      response.onCompleted();
    }
  }

  private static void read(ManagedChannel channel, String traceparent) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER),
        "00-" + TRACE + "-00f067aa0ba902b7-" + traceparent);
    assertThrows(
        StatusRuntimeException.class,
        () ->
            ColumnStoreServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .getSlice(GetSliceRequest.newBuilder().setKeyspace("Nope").build()));
  }

  @Test
  void theCollectorGetsTheSampledCallBeforeTheNodeIsGone() throws Exception {
    Collector collector = new Collector();
    Server server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(collector)
            .build()
            .start();
    try (Node node =
        Node.start(
            NodeOptions.defaults()
                .withDataDirectory(folder.resolve("data"))
                .withFreePorts()
                .with(TelemetrySettings.OTLP_ENDPOINT, "http://127.0.0.1:" + server.getPort()))) {
      ManagedChannel channel =
          Grpc.newChannelBuilderForAddress(
                  "127.0.0.1", node.clientPort(), InsecureChannelCredentials.create())
              .build();
      read(channel, "01");
      read(channel, "00");
      channel.shutdownNow();
    } finally {
      server.shutdown();
    }
    assertEquals(
        List.of(ByteString.copyFrom(HexFormat.of().parseHex(TRACE))),
        collector.spans.stream().map(Span::getTraceId).toList());
    assertEquals("colonnade.v1.ColumnStoreService/GetSlice", collector.spans.element().getName());
  }
}
