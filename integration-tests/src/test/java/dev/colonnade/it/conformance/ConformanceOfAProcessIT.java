package dev.colonnade.it.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import io.grpc.Channel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Some recordings once more through the packaged command, in a process of its own, with real time
 * and real restarts: so that the results of {@link ConformanceIT} hold for the packaged command.
 */
final class ConformanceOfAProcessIT {

  /** A process takes a second or two to start. */
  private static final int RESTARTED_EVERY = 900;

  @TempDir static Path folder;

  private static ProcessUnderTest node;

  @BeforeAll
  static void start() throws IOException {
    node =
        new ProcessUnderTest(
            LocalNode.process(
                LocalNode.Settings.in(folder.resolve("data")).withJvmArguments("-Xmx512m")));
  }

  @AfterAll
  static void stop() {
    node.node.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "directed-comparators.rp",
        "directed-slices.rp",
        "directed-supercolumns.rp",
        "directed-ttl.rp",
        "random-mixed-seed3.rp",
      })
  void theRecordedAnswersAreGiven(String name) throws IOException {
    TraceReplay.Interruption interruption =
        TraceReplay.Interruption.everyNth(
            RESTARTED_EVERY,
            interrupted -> {
              interrupted.flush();
              interrupted.restart();
            });
    TraceReplay.Report report =
        new TraceReplay(node, Differences.read(), ReadStyle.UNARY, interruption)
            .replay(Trace.read(name));
    assertTrue(report.clean(), report::toString);
  }

  /** A process whose clock cannot be moved: time passes by waiting. */
  private static final class ProcessUnderTest implements NodeUnderTest {

    private LocalNode node;

    ProcessUnderTest(LocalNode node) {
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
