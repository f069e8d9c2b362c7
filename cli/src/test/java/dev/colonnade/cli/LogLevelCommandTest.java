package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
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

  private final Invocation colonnade = new Invocation();

  private int loglevel(Node node, String... args) {
    List<String> all =
        new ArrayList<>(List.of("loglevel", "--port", Integer.toString(node.clientPort())));
    all.addAll(List.of(args));
    return colonnade.run(all.toArray(String[]::new));
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
      assertEquals(0, loglevel(node, LOGGER, "trace"), colonnade::err);
      assertTrue(LoggerFactory.getLogger(LOGGER + ".Below").isTraceEnabled());
      assertEquals(0, loglevel(node), colonnade::err);
      assertTrue(colonnade.out().contains("TRACE " + LOGGER), colonnade::out);
      assertTrue(colonnade.out().lines().findFirst().orElse("").endsWith(" ROOT"), colonnade::out);
      assertEquals(0, loglevel(node, "-o", "json"), colonnade::err);
      assertTrue(colonnade.out().contains("\"logger\":\"" + LOGGER + "\""), colonnade::out);

      assertEquals(0, loglevel(node, LOGGER, "INHERIT"), colonnade::err);
      assertFalse(LoggerFactory.getLogger(LOGGER + ".Below").isTraceEnabled());

      assertEquals(1, loglevel(node, "ROOT", "inherit"));
      assertTrue(colonnade.err().contains("no logger above"), colonnade::err);
    }
  }

  @Test
  void whatIsMissingOrUnknownIsTold() {
    assertEquals(2, colonnade.run("loglevel", "ROOT"));
    assertTrue(colonnade.err().contains("give a level as well"), colonnade::err);
    assertEquals(2, colonnade.run("loglevel", "ROOT", "loud"));
    assertTrue(colonnade.err().contains("there is no level loud"), colonnade::err);
  }
}
