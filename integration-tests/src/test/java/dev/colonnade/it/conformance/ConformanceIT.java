package dev.colonnade.it.conformance;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import io.grpc.Channel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A real server answers as the original did, whichever way it is asked. One server for each
 * partitioner takes all its recordings, one after the other; the keyspaces are dropped and created
 * in between.
 */
@EnabledIf(
    value = "dev.colonnade.it.LocalNode#commandExists",
    disabledReason = "the command line has no `server` in this build")
final class ConformanceIT {

  /** Fewer compared lines mean that the replay has begun to leave things out. */
  private static final int COMPARED_FLOOR = 21_400;

  private static final int INTERRUPTED_EVERY = 50;

  /** A process takes a second or two to start; the written recordings get one at every flush. */
  private static final int FLUSHES_PER_RESTART_OF_RANDOM = 20;

  @TempDir static Path folder;

  private static final Map<String, RunningNode> NODES = new LinkedHashMap<>();

  @BeforeAll
  static void start() throws IOException {
    for (String name : Trace.names()) {
      String partitioner = Trace.read(name).partitioner();
      if (!NODES.containsKey(partitioner)) {
        NODES.put(
            partitioner,
            new RunningNode(
                LocalNode.process(
                    LocalNode.Settings.in(folder.resolve(partitioner))
                        .withPartitioner(partitioner)
                        .withJvmArguments("-Xmx512m"))));
      }
    }
  }

  @AfterAll
  static void stop() {
    NODES.values().forEach(running -> running.node.close());
  }

  @ParameterizedTest
  @EnumSource
  void everyRecordedAnswerIsGiven(ReadStyle style) throws IOException {
    check(style, style.toString(), trace -> TraceReplay.Interruption.NONE);
  }

  @Test
  void everyRecordedAnswerIsGivenAcrossFlushesAndRestarts() throws IOException {
    check(
        ReadStyle.UNARY,
        "flushed at every " + INTERRUPTED_EVERY + "th request",
        trace -> {
          int restartedEvery = trace.random() ? FLUSHES_PER_RESTART_OF_RANDOM : 1;
          AtomicInteger flushes = new AtomicInteger();
          return TraceReplay.Interruption.everyNth(
              INTERRUPTED_EVERY,
              node -> {
                node.flush();
                if (flushes.incrementAndGet() % restartedEvery == 0) {
                  node.restart();
                }
              });
        });
  }

  private static void check(
      ReadStyle style, String how, Function<Trace, TraceReplay.Interruption> interruption)
      throws IOException {
    Differences differences = Differences.read();
    List<TraceReplay.Report> reports = new ArrayList<>();
    for (String name : Trace.names()) {
      Trace trace = Trace.read(name);
      RunningNode node = Objects.requireNonNull(NODES.get(trace.partitioner()));
      reports.add(
          new TraceReplay(node, differences, style, interruption.apply(trace)).replay(trace));
    }
    ReplayedAll all = ReplayedAll.of(how, reports, differences);
    System.out.println(all.summary());
    assertAll(
        () -> assertTrue(all.clean(), all::mismatches),
        () -> assertEquals(List.of(), all.unused(), "listed differences that nothing needs"),
        () -> assertTrue(all.compared() >= COMPARED_FLOOR, all::summary));
  }

  /** A process whose clock cannot be moved: time passes by waiting. */
  private static final class RunningNode implements NodeUnderTest {

    private LocalNode node;

    RunningNode(LocalNode node) {
      this.node = node;
    }

    @Override
    public Channel channel() {
      return node.channel();
    }

    @Override
    public void pass(Duration time) {
      Await.pass(time);
    }

    @Override
    public void flush() {
      node.flushAll();
    }

    @Override
    public void restart() {
      node.stop();
      try {
        node = node.again();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
