package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.node.platform.OpsHttpServer;
import dev.colonnade.server.node.platform.SystemClock;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What probes, clients and other nodes are told while a node is starting, stopping or unsure of the
 * ring. Other nodes go on as usual: a starting node has no place on the ring yet, one that stops
 * announces that by gossip. What clients are told after a pause is part of {@code MembershipTest}.
 */
final class ConditionsTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir Path data;

  private @Nullable Runnable atEachLook;
  private @Nullable ManagedChannel channel;

  /** The system's clock; when the starting thread looks at it, the test looks at the node. */
  private final Clock clock =
      new Clock() {
        private final Clock system = new SystemClock();
        private final Thread test = Thread.currentThread();
        private boolean looking;

        @Override
        public long monotonicNanos() {
          Runnable look = atEachLook;
          if (look != null && Thread.currentThread() == test && !looking) {
            looking = true;
            look.run();
            looking = false;
          }
          return system.monotonicNanos();
        }

        @Override
        public long wallMicros() {
          return system.wallMicros();
        }
      };

  @AfterEach
  void closeChannel() {
    if (channel != null) {
      channel.shutdownNow();
    }
  }

  private Node start(int httpPort) throws NodeStartException {
    return Node.start(
        NodeOptions.defaults()
            .withDataDirectory(data)
            .with(AddressSettings.CLIENT_PORT, 0)
            .with(AddressSettings.PEER_PORT, 0)
            .with(AddressSettings.HTTP_PORT, httpPort),
        clock);
  }

  private ManagedChannel connect(Node node) {
    ManagedChannel made =
        NettyChannelBuilder.forAddress("127.0.0.1", node.clientPort()).usePlaintext().build();
    channel = made;
    return made;
  }

  /** The status and text of {@code /readyz}; of the port alone if no one listens there. */
  private static String readyz(int port) {
    try {
      HttpResponse<String> answer =
          HTTP.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/readyz")).build(),
              HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() + " " + answer.body();
    } catch (ConnectException refused) {
      return "refused";
    } catch (IOException e) {
      return "broken";
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static ServingStatus grpcHealth(ManagedChannel at) {
    return HealthGrpc.newBlockingStub(at)
        .check(HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }

  private static boolean isRefused(ManagedChannel at) {
    try {
      ServingStatus unused = grpcHealth(at);
      return false;
    } catch (StatusRuntimeException e) {
      assertEquals(Status.Code.UNAVAILABLE, e.getStatus().getCode());
      return true;
    }
  }

  private static void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, what);
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  void aStartingNodeIsNeverReady() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    List<String> told = new ArrayList<>();
    atEachLook = () -> told.add(readyz(port));
    try (Node node = start(port)) {
      atEachLook = null;
      assertTrue(told.size() > 1, "the test never looked");
      for (String answer : told) {
        assertTrue(
            answer.equals("refused")
                || (answer.startsWith("503") && answer.contains("the node is starting")),
            answer);
      }
      assertTrue(readyz(port).startsWith("200"));
      assertEquals(ServingStatus.SERVING, grpcHealth(connect(node)));
    }
  }

  @Test
  void aNodeThatStopsIsNotReadyWhileItsCallsEnd() throws Exception {
    Node node = start(0);
    ManagedChannel client = connect(node);
    int port = node.httpPort();
    CompletableFuture<Status> ended = new CompletableFuture<>();
    StreamObserver<StreamMutateRequest> call =
        ColumnStoreServiceGrpc.newStub(client)
            .streamMutate(
                new StreamObserver<StreamMutateResponse>() {
                  @Override
                  public void onNext(StreamMutateResponse answer) {}

                  @Override
                  public void onError(Throwable failure) {
                    ended.complete(Status.fromThrowable(failure));
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete(Status.OK);
                  }
                });
    assertEquals(ServingStatus.SERVING, grpcHealth(client));
    assertTrue(readyz(port).startsWith("200"));

    CompletableFuture<Void> stopped = new CompletableFuture<>();
    new Thread(
            () -> {
              node.close();
              stopped.complete(null);
            },
            "stop")
        .start();
    await(() -> readyz(port).startsWith("503"), "the probe hears of it");
    String told = readyz(port);
    assertTrue(told.contains("the node is stopping"), told);
    assertFalse(ended.isDone(), "a call on data may end");
    // The client hears of it a moment after the probe.
    await(() -> isRefused(client), "new calls are refused");

    call.onCompleted();
    assertEquals(Status.Code.OK, ended.get(30, TimeUnit.SECONDS).getCode());
    stopped.get(30, TimeUnit.SECONDS);
    assertEquals("refused", readyz(port));
  }

  @Test
  void aNodeThatWasPausedIsNotReadyUntilItKnowsTheRingAgain() {
    Health health = new Health();
    Node.followRing(health, true);
    Node.followRing(health, true);
    OpsHttpServer.Readiness told = Node.readiness(health.report());
    assertFalse(told.isReady());
    assertEquals(
        Optional.of("the node was paused and is refreshing its view of the ring"), told.problems());
    assertEquals("", health.report().gossiped(1_000), "other nodes go on as usual");

    Node.followRing(health, false);
    assertTrue(Node.readiness(health.report()).isReady());
    assertEquals(Optional.empty(), Node.readiness(health.report()).problems());
  }
}
