package dev.colonnade.it.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.local.bench.LoadGenerator;
import dev.colonnade.cli.local.bench.RawCall;
import dev.colonnade.it.ChildJvm;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of the benchmark that its figures depend on. */
final class BenchmarkTest {

  @TempDir Path folder;

  @Test
  void theCallThatDoesNothingAnswersWithTheSizeAskedForAndIsMeasured() throws Exception {
    Path out = folder.resolve("noop.out");
    Process noop =
        ChildJvm.start(
            ChildJvm.main(List.of("-Xmx128m"), NoopServer.class.getName()),
            out,
            "serving",
            Duration.ofSeconds(30));
    String port = Files.readString(out).split(" ", -1)[1];
    ManagedChannel channel =
        NettyChannelBuilder.forTarget("127.0.0.1:" + port).usePlaintext().directExecutor().build();
    try {
      byte[] answer =
          ClientCalls.blockingUnaryCall(
              channel, NoopServer.method(321), CallOptions.DEFAULT, new byte[7]);
      assertEquals(321, answer.length);
      LoadGenerator load =
          new LoadGenerator(channel, () -> new RawCall(NoopServer.method(10), new byte[100]));
      load.start(4);
      Histogram latencies = load.run(Duration.ofMillis(200));
      load.stop();
      assertTrue(latencies.getTotalCount() > 0);
    } finally {
      channel.shutdownNow();
      noop.destroyForcibly();
    }
  }

  @Test
  void aCallThatFailsEndsTheRun() throws Exception {
    ManagedChannel nobody =
        NettyChannelBuilder.forTarget("127.0.0.1:1").usePlaintext().directExecutor().build();
    LoadGenerator load =
        new LoadGenerator(nobody, () -> new RawCall(NoopServer.method(1), new byte[0]));
    load.start(1);
    try {
      assertThrows(IllegalStateException.class, () -> load.run(Duration.ofSeconds(20)));
      load.stop();
    } finally {
      nobody.shutdownNow();
    }
  }

  @Test
  void limitsAreHeldAgainstTheCallBeside() {
    assertTrue(verdict(4, 20).holds());
    assertFalse(verdict(6, 20).holds());
    assertFalse(verdict(4, 41).holds());
  }

  @Test
  void aBuildIsSlowerWhenThreeQuartersOfTheRoundsSayIt() {
    PairedRatios ratios = new PairedRatios(List.of(1.2, 0.9, 1.1, 1.3, 1.0));
    assertEquals(1.1, ratios.median(), 1e-9);
    assertEquals(1.0, ratios.low(), 1e-9);
    assertEquals(1.2, ratios.high(), 1e-9);
    assertFalse(ratios.isSlowerBy(0.05), "one noisy round in four proves nothing");
    assertTrue(new PairedRatios(List.of(1.06, 1.07, 1.3, 0.8, 1.08)).isSlowerBy(0.05));
    assertEquals(1.5, new PairedRatios(List.of(2.0, 1.0)).median(), 1e-9);
  }

  /** Costs are for a no-op of 10 us. */
  private static Verdict verdict(int updateRatio, int wideRowMicros) {
    List<Result> results = new ArrayList<>();
    results.add(result("update", 10 * updateRatio, 5));
    List<String> sizes = Workloads.rowSizeNames();
    results.add(result(sizes.get(0), 20, 0));
    results.add(result(sizes.get(1), 20, 0));
    results.add(result(sizes.get(2), wideRowMicros, 0));
    return Verdict.of(results, true);
  }

  private static Result result(String name, int cpuMicros, double limit) {
    Histogram one = new Histogram(3);
    one.recordValue(1_000);
    Result result =
        new Result(new Workload(name, NoopServer.method(0), () -> new byte[0], 0, limit));
    result.measured().add(one, Duration.ofSeconds(1), Duration.ofNanos(cpuMicros * 1_000L));
    result.noop().add(one, Duration.ofSeconds(1), Duration.ofNanos(10_000));
    return result;
  }
}
