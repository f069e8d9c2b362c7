package dev.colonnade.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageOrBuilder;
import dev.colonnade.admin.v1.CleanupRequest;
import dev.colonnade.admin.v1.CleanupResponse;
import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.CompactResponse;
import dev.colonnade.admin.v1.DecommissionRequest;
import dev.colonnade.admin.v1.DecommissionResponse;
import dev.colonnade.admin.v1.LoadBalanceRequest;
import dev.colonnade.admin.v1.LoadBalanceResponse;
import dev.colonnade.admin.v1.MoveRequest;
import dev.colonnade.admin.v1.MoveResponse;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.Progress;
import dev.colonnade.admin.v1.RemoveTokenRequest;
import dev.colonnade.admin.v1.RemoveTokenResponse;
import dev.colonnade.admin.v1.RepairRequest;
import dev.colonnade.admin.v1.RepairResponse;
import dev.colonnade.admin.v1.ScrubRequest;
import dev.colonnade.admin.v1.ScrubResponse;
import dev.colonnade.cli.shell.output.OutputForm;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every verb of operators answers programs with an object per line: what it looks at, or how far it
 * is, and at last that it is through.
 */
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class OperatorsJsonTest {

  @TempDir private static Path temporary;

  private static LocalNode node;
  private static Server working;

  @BeforeAll
  static void start() throws Exception {
    node = LocalNode.start(temporary);
    try (ShellRun shell = new ShellRun(node.port())) {
      String unused =
          shell.answer(
              "create keyspace K; use K; create column family F with comparator = UTF8Type;"
                  + " assume keys as utf8; assume F validator as utf8; set F['k']['c'] = 'v';");
    }
    working =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Working())
            .build()
            .start();
  }

  @AfterAll
  static void stop() throws Exception {
    working.shutdownNow().awaitTermination();
    node.close();
  }

  private static List<String> lines(int port, String statement) throws Exception {
    try (ShellRun shell = new ShellRun(port, OutputForm.JSON, Duration.ofSeconds(60))) {
      return shell.answer(statement).lines().toList();
    }
  }

  private static void assertKinds(String kinds, List<String> lines) {
    for (String line : lines) {
      assertTrue(line.endsWith("}"), line);
    }
    List<String> found =
        lines.stream().map(line -> line.substring(2, line.indexOf('"', 2))).distinct().toList();
    assertEquals(List.of(kinds.split(" ")), found, lines::toString);
  }

  @ParameterizedTest
  @Order(1)
  @CsvSource({
    "ring, node returned",
    "info, info",
    "stats, stats returned",
    "stages, stage returned message",
    "gossip, gossip returned",
    "hints, returned",
    "endpoints K 'k', endpoint returned",
    "flush K.F, done",
    "compact K.F, progress done",
    "repair K.F, progress done",
    "cleanup K.F, progress done",
    "scrub K.F, progress done",
    "truncate K.F, done",
  })
  void aNodeTellsWhatThereIs(String statement, String kinds) throws Exception {
    List<String> lines = lines(node.port(), statement + ";");
    assertKinds(kinds, lines);
    String last = kinds.contains("returned") ? "returned" : kinds.replaceAll(".* ", "");
    assertTrue(lines.get(lines.size() - 1).startsWith("{\"" + last + "\":"), lines::toString);
  }

  @Test
  @Order(1)
  void aTracedCallTellsWhatHappenedOnTheNode() throws Exception {
    List<String> lines = lines(node.port(), "use K; trace on; get F['k']; trace off; get F['k'];");
    List<String> events = lines.stream().filter(line -> line.startsWith("{\"trace\":")).toList();
    for (String event : List.of("begun", "planned", "store_read", "encoded")) {
      assertEquals(
          1,
          events.stream().filter(line -> line.contains("\"event\":\"" + event + "\"")).count(),
          lines::toString);
    }
    assertEquals(
        1,
        events.stream()
            .map(line -> line.replaceAll(".*\"trace_id\":\"([0-9a-f]{32})\".*", "$1"))
            .distinct()
            .count(),
        lines::toString);
    assertEquals(
        1, lines.stream().filter(line -> line.contains("\"events\":")).count(), lines::toString);
  }

  @ParameterizedTest
  @Order(1)
  @CsvSource({
    "compact K.F, bytes",
    "cleanup K.F, bytes",
    "repair K.F, steps",
    "scrub K.F, steps",
    "decommission, steps",
    "decommission force, steps",
    "move '7', steps",
    "loadbalance, steps",
    "remove 'id', steps",
  })
  void longWorkTellsHowFarItIsAndThatItIsDone(String statement, String unit) throws Exception {
    List<String> lines = lines(working.getPort(), statement + ";");
    assertEquals(3, lines.size(), lines::toString);
    String told = "\"total\":\"2\",\"unit\":\"" + unit + "\",\"detail\":\"K.F\"}}";
    assertEquals("{\"progress\":{\"phase\":\"moving\",\"done\":\"1\"," + told, lines.get(0));
    assertEquals("{\"progress\":{\"phase\":\"moving\",\"done\":\"2\"," + told, lines.get(1));
    assertTrue(lines.get(2).startsWith("{\"done\":\""), lines::toString);
  }

  /** The last one: nothing is done on the node after it. */
  @Test
  @Order(2)
  void aDrainedNodeSaysSo() throws Exception {
    assertKinds("done", lines(node.port(), "drain;"));
  }

  /** All that takes long, in two steps. */
  private static final class Working extends NodeServiceGrpc.NodeServiceImplBase {

    private static <R extends MessageOrBuilder> void work(
        StreamObserver<R> observer, Function<Progress, R> answer) {
      for (int step = 1; step <= 2; step++) {
        observer.onNext(
            answer.apply(
                Progress.newBuilder()
                    .setPhase("moving")
                    .setDone(step)
                    .setTotal(2)
                    .setDetail("K.F")
                    .build()));
      }
      observer.onCompleted();
    }

    @Override
    public void compact(CompactRequest request, StreamObserver<CompactResponse> observer) {
      work(observer, told -> CompactResponse.newBuilder().setProgress(told).build());
    }

    @Override
    public void cleanup(CleanupRequest request, StreamObserver<CleanupResponse> observer) {
      work(observer, told -> CleanupResponse.newBuilder().setProgress(told).build());
    }

    @Override
    public void repair(RepairRequest request, StreamObserver<RepairResponse> observer) {
      work(observer, told -> RepairResponse.newBuilder().setProgress(told).build());
    }

    @Override
    public void scrub(ScrubRequest request, StreamObserver<ScrubResponse> observer) {
      work(observer, told -> ScrubResponse.newBuilder().setProgress(told).build());
    }

    @Override
    public void decommission(
        DecommissionRequest request, StreamObserver<DecommissionResponse> observer) {
      work(observer, told -> DecommissionResponse.newBuilder().setProgress(told).build());
    }

    @Override
    public void move(MoveRequest request, StreamObserver<MoveResponse> observer) {
      work(observer, told -> MoveResponse.newBuilder().setProgress(told).build());
    }

    @Override
    public void loadBalance(
        LoadBalanceRequest request, StreamObserver<LoadBalanceResponse> observer) {
      work(observer, told -> LoadBalanceResponse.newBuilder().setProgress(told).build());
    }

    @Override
    public void removeToken(
        RemoveTokenRequest request, StreamObserver<RemoveTokenResponse> observer) {
      work(observer, told -> RemoveTokenResponse.newBuilder().setProgress(told).build());
    }
  }
}
