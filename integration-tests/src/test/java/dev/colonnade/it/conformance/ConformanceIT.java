package dev.colonnade.it.conformance;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A real server answers as the original did, in every style of request. One server for each
 * partitioner takes all its recordings, one after the other; the keyspaces are dropped and created
 * in between.
 */
final class ConformanceIT {

  /** Fewer compared lines mean that the replay has begun to leave things out. */
  private static final int COMPARED_FLOOR = 21_400;

  /**
   * A restart takes longer than a hundred requests; with a smaller number there are more of them.
   */
  private static final int INTERRUPTED_EVERY =
      Integer.getInteger("colonnade.conformance.interrupted", 200);

  @TempDir static Path folder;

  private static final Map<String, InProcessNode> NODES = new LinkedHashMap<>();

  @BeforeAll
  static void start() throws IOException {
    for (String name : Trace.names()) {
      String partitioner = Trace.read(name).partitioner();
      if (!NODES.containsKey(partitioner)) {
        NODES.put(partitioner, InProcessNode.start(folder.resolve(partitioner), partitioner));
      }
    }
  }

  @AfterAll
  static void stop() {
    NODES.values().forEach(InProcessNode::close);
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
        "flushed and restarted at every " + INTERRUPTED_EVERY + "th request",
        trace ->
            TraceReplay.Interruption.everyNth(
                INTERRUPTED_EVERY,
                node -> {
                  node.flush();
                  node.restart();
                }));
  }

  private static void check(
      ReadStyle style, String how, Function<Trace, TraceReplay.Interruption> interruption)
      throws IOException {
    Differences differences = Differences.read();
    List<TraceReplay.Report> reports = new ArrayList<>();
    for (String name : Trace.names()) {
      Trace trace = Trace.read(name);
      InProcessNode node = Objects.requireNonNull(NODES.get(trace.partitioner()));
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
}
