package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What an operator does to see more of a node, and then less. */
final class LogLevelCommandTest {

  private static final String LOGGER = "dev.colonnade.example.of.a.test";

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Colonnade.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  private int loglevel(Node node, String... args) {
    List<String> all =
        new ArrayList<>(List.of("loglevel", "--port", Integer.toString(node.clientPort())));
    all.addAll(List.of(args));
    return run(all.toArray(String[]::new));
  }

  @AfterEach
  void leaveNoLevel() {
    ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger(LOGGER)).setLevel(null);
  }

  @Test
  void aLevelIsChangedWhileTheNodeRunsAndTakenBack() throws Exception {
    NodeOptions options = NodeOptions.defaults().withDataDirectory(directory).withFreePorts();
    try (Node node = Node.start(options)) {
      assertFalse(LoggerFactory.getLogger(LOGGER + ".Below").isTraceEnabled());
      assertEquals(0, loglevel(node, LOGGER, "trace"), err::toString);
      assertTrue(LoggerFactory.getLogger(LOGGER + ".Below").isTraceEnabled());
      assertEquals(0, loglevel(node), err::toString);
      assertTrue(out.toString().contains("TRACE " + LOGGER), out::toString);
      assertTrue(out.toString().lines().findFirst().orElse("").endsWith(" ROOT"), out::toString);
      assertEquals(0, loglevel(node, "-o", "json"), err::toString);
      assertTrue(out.toString().contains("\"logger\":\"" + LOGGER + "\""), out::toString);

      assertEquals(0, loglevel(node, LOGGER, "INHERIT"), err::toString);
      assertFalse(LoggerFactory.getLogger(LOGGER + ".Below").isTraceEnabled());

      assertEquals(1, loglevel(node, "ROOT", "inherit"));
      assertTrue(err.toString().contains("no logger above"), err::toString);
    }
  }

  @Test
  void whatIsMissingOrUnknownIsTold() {
    assertEquals(2, run("loglevel", "ROOT"));
    assertTrue(err.toString().contains("give a level as well"), err::toString);
    assertEquals(2, run("loglevel", "ROOT", "loud"));
    assertTrue(err.toString().contains("there is no level loud"), err::toString);
  }
}
