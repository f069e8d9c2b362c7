package dev.colonnade.it.scenario;

import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The nodes of the scenario, with one connection to each. */
final class ScenarioNodes implements AutoCloseable {

  private static final long CALL_MILLIS = 10_000;
  private static final long LONG_CALL_SECONDS = 30;
  private static final int ANSWER_BYTES = 16 << 20;
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final List<ManagedChannel> channels;
  private final ManagedChannel secured;
  private final List<String> processes;

  /** Nodes that ask nobody, and one with TLS, whose authority is in the file {@code roots}. */
  ScenarioNodes(List<String> addresses, List<String> processes, String secured, Path roots)
      throws IOException {
    this.channels =
        addresses.stream()
            .map(address -> channel(address, InsecureChannelCredentials.create()))
            .toList();
    this.secured =
        channel(secured, TlsChannelCredentials.newBuilder().trustManager(roots.toFile()).build());
    this.processes = processes;
  }

  private static ManagedChannel channel(String address, ChannelCredentials credentials) {
    return Grpc.newChannelBuilder(address, credentials).maxInboundMessageSize(ANSWER_BYTES).build();
  }

  /** The stubs of one node, with the deadline of the step. */
  record Node(Channel channel, long millis) {

    ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub columns() {
      return ColumnStoreServiceGrpc.newBlockingStub(channel)
          .withDeadlineAfter(millis, TimeUnit.MILLISECONDS);
    }

    SchemaServiceGrpc.SchemaServiceBlockingStub schema() {
      return SchemaServiceGrpc.newBlockingStub(channel)
          .withDeadlineAfter(LONG_CALL_SECONDS, TimeUnit.SECONDS);
    }

    NodeServiceGrpc.NodeServiceBlockingStub node() {
      return NodeServiceGrpc.newBlockingStub(channel)
          .withDeadlineAfter(LONG_CALL_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** The nodes that the step may call, in its order. */
  List<Node> of(Step step) {
    List<Integer> numbers = new ArrayList<>();
    step.list("nodes").forEach(number -> numbers.add(number.getAsInt()));
    if (step.has("node")) {
      numbers.add((int) step.number("node", 0));
    }
    if (numbers.isEmpty()) {
      numbers.addAll(List.of(1, 2, 3));
    }
    long millis = step.number("timeout_ms", CALL_MILLIS);
    if (step.flag("secured")) {
      return List.of(new Node(identified(step, secured), millis));
    }
    return numbers.stream()
        .map(number -> new Node(identified(step, channels.get(number - 1)), millis))
        .toList();
  }

  /** A channel whose calls carry the name and the password of the step, if it has them. */
  private static Channel identified(Step step, Channel channel) {
    if (!step.has("user")) {
      return channel;
    }
    String user = step.list("user").get(0).getAsString();
    String password = step.list("user").get(1).getAsString();
    byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    Metadata header = new Metadata();
    header.put(AUTHORIZATION, "Basic " + Base64.getEncoder().encodeToString(both));
    return ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(header));
  }

  /** Calls the first of the step's nodes that serves; a write goes on only where that is safe. */
  <R> R call(Step step, Function<Node, R> call) {
    @Nullable StatusRuntimeException last = null;
    for (Node node : of(step)) {
      try {
        return call.apply(node);
      } catch (StatusRuntimeException e) {
        if (!ScenarioErrors.mayGoOn(e, step.isWrite())) {
          throw e;
        }
        last = e;
      }
    }
    throw last == null ? new IllegalStateException("a step without nodes") : last;
  }

  /** Sends a signal to the process of a node. */
  void signal(int node, String name) {
    try {
      Process kill =
          new ProcessBuilder("kill", "-" + name, processes.get(node - 1)).inheritIO().start();
      if (kill.waitFor() != 0) {
        throw new IllegalStateException("kill -" + name + " did not work");
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    secured.shutdownNow();
  }
}
