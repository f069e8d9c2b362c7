package dev.colonnade.it.abuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a node copes with clients that treat it badly; the short form of {@code abuse}. */
@Timeout(180)
final class AbuseIT {

  private static final int SILENT_PER_PORT = 30;

  /** A node that carries nothing stops in less than half of this. */
  private static final Duration STOP_MAX = Duration.ofSeconds(2);

  /** The worst cases: each of them alone has made a node unusable. */
  private static final List<String> SHORT_CASES =
      List.of(
          "cancelled-scans",
          "many-slices",
          "big-batches",
          "small-columns",
          "range-deletions",
          "overlapping-deletions",
          "slow-streams",
          "half-sent");

  private static final Duration SHORT_TIME = Duration.ofSeconds(2);

  private static final double SHORT_GOODPUT_MIN = 0.5;

  @TempDir Path folder;

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  /** Few, and enough for a node to start on a machine of some processors. */
  private static final int DESCRIPTORS = 128 + 4 * Runtime.getRuntime().availableProcessors();

  @Test
  void silentConnectionsDoNotHoldUpTheStop() throws IOException {
    try (AbusedNode node = AbusedNode.start(folder, "256m", 0)) {
      Target target = node.target();
      for (int port : new int[] {target.clientPort(), target.peerPort(), target.httpPort()}) {
        for (int i = 0; i < SILENT_PER_PORT; i++) {
          say(port, i % 3 == 0 ? "" : i % 3 == 1 ? "GET /" : "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        }
      }
      watchHealth(target);
      Duration stop = node.stop();
      assertTrue(stop.compareTo(STOP_MAX) < 0, "the stop took " + stop);
    }
  }

  @Test
  void probesAreAnsweredWhenClientsTakeAllDescriptors() throws IOException {
    try (AbusedNode node = AbusedNode.start(folder, "256m", DESCRIPTORS)) {
      for (int i = 0; i < DESCRIPTORS + 16; i++) {
        say(node.target().clientPort(), "");
      }
      for (int i = 0; i < 5; i++) {
        assertTrue(node.probe("/healthz"), () -> "healthz; " + complaints(node));
        assertTrue(node.probe("/readyz"), () -> "readyz; " + complaints(node));
      }
      assertTrue(node.complaints().size() <= 3, () -> complaints(node));
    }
  }

  /**
   * The short form of {@code abuse}: one node for all cases, a few seconds each, and bounds that a
   * busy machine keeps. The node must live, serve and recover; the long form says how well.
   */
  @Test
  void aNodeWithASmallHeapServesOthersBesideItsAbusers() throws IOException {
    try (AbusedNode node = AbusedNode.start(folder, "256m", 0)) {
      node.target().load();
      try (GoodClients good = GoodClients.start(node.target())) {
        for (String name : SHORT_CASES) {
          GoodClients.Figures beside;
          try (AbuserProcess abuser =
              AbuserProcess.start(AbuseCases.named(name), node.target(), folder)) {
            beside = good.measure(SHORT_TIME);
            abuser.end();
          }
          assertTrue(node.isAlive(), () -> name + " ended the node; " + complaints(node));
          assertTrue(
              beside.goodput() >= SHORT_GOODPUT_MIN,
              () -> "beside " + name + ": " + beside + "; " + complaints(node));
          assertTrue(node.probe("/readyz"), () -> "readyz after " + name);
        }
        assertTrue(good.isServed(), () -> "not served afterwards; " + complaints(node));
      }
      assertEquals(List.of(), node.outOfMemory());
    }
  }

  private static String complaints(AbusedNode node) {
    try {
      return String.join("\n", node.complaints());
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void say(int port, String words) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    open.add(socket);
    socket.getOutputStream().write(words.getBytes(StandardCharsets.US_ASCII));
  }

  /** As a client's load balancer would, for as long as it lives. */
  private void watchHealth(Target target) {
    ManagedChannel channel = target.channel();
    open.add(channel::shutdownNow);
    HealthGrpc.newStub(channel)
        .watch(
            HealthCheckRequest.getDefaultInstance(),
            new StreamObserver<HealthCheckResponse>() {
              @Override
              public void onNext(HealthCheckResponse response) {}

              @Override
              public void onError(Throwable error) {}

              @Override
              public void onCompleted() {}
            });
  }
}
