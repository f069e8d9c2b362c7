package dev.colonnade.it.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.colonnade.it.ChildJvm;
import dev.colonnade.it.LocalNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code colonnade shell} at a terminal: what is typed, and what the screen shows. */
@Timeout(240)
final class ShellAtATerminalIT {

  private static final int COLUMNS = 100;
  private static final int ROWS = 24;

  @TempDir private static Path folder;
  private static LocalNode node;

  private final List<Pty> started = new ArrayList<>();

  @BeforeAll
  static void startNode() throws IOException {
    assumeTrue(Pty.missing().isEmpty(), () -> Pty.missing().orElse(""));
    node =
        LocalNode.process(
            LocalNode.Settings.in(folder.resolve("data")).withJvmArguments("-Xmx512m"));
    Process prepared =
        new ProcessBuilder(
                colonnade(
                    "shell",
                    "--timeout",
                    "60s",
                    "-p",
                    String.valueOf(node.ports().client()),
                    "-e",
                    "create keyspace Blog; use Blog;"
                        + " create column family Authors with comparator = UTF8Type;"
                        + " set Authors['arin']['email'] = 'arin@example.com';"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertTrue(ChildJvm.exited(prepared, Duration.ofSeconds(60)));
    assertEquals(0, prepared.exitValue());
  }

  @AfterAll
  static void stopNode() {
    if (node != null) {
      node.close();
    }
  }

  @BeforeEach
  void needsAPseudoTerminal() {
    assumeTrue(Pty.missing().isEmpty());
  }

  @AfterEach
  void endShells() {
    started.forEach(Pty::close);
  }

  @Test
  void greetsRunsStatementsOfSeveralLinesAndEndsWithCtrlD() throws IOException {
    Path history = folder.resolve("several-lines");
    Pty shell = shell(Pty.historyIn(history));
    shell.await("Connected to: \"Test Cluster\" on 127.0.0.1:" + node.ports().client());
    shell.awaitPrompt();
    shell.type(Pty.CTRL_L);
    shell.type("set Authors['ronald']" + Pty.ENTER);
    shell.await("...");
    shell.type("['email'] =" + Pty.ENTER + "'ron@example.com'; count Authors['ronald'];");
    shell.type(Pty.ENTER);

    shell.awaitScreen(
        """
        [default@Blog] set Authors['ronald']
        ...     ['email'] =
        ...     'ron@example.com'; count Authors['ronald'];
        Value inserted.
        1 columns
        [default@Blog]
        """);

    shell.type(Pty.CTRL_D);
    assertEquals(0, shell.awaitEnd());
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(history)));
  }

  @Test
  void tabCompletesVerbsFamiliesAndKeysAndListsWhatCanFollow() throws IOException {
    Pty shell = atPrompt();
    shell.type("get Authors['arin'];" + Pty.ENTER);
    shell.await("Returned 1 results.");
    shell.awaitPrompt();
    shell.type(Pty.CTRL_L + "ge" + Pty.TAB + "Auth" + Pty.TAB + "'ar" + Pty.TAB);

    shell.awaitScreen("[default@Blog] get Authors['arin']");

    shell.type(" " + Pty.TAB);
    shell.await("reversed");
    shell.type("rev" + Pty.TAB + ";" + Pty.ENTER);
    shell.await("Returned 1 results.");
    shell.awaitPrompt();
    shell.type(Pty.CTRL_L + "create column family X with comparator = L" + Pty.TAB);
    shell.await("LongType");
  }

  @Test
  void ctrlRFindsAStatementOfAnEarlierShell() throws IOException {
    Path history = folder.resolve("earlier");
    Pty first = shell(Pty.historyIn(history));
    first.awaitPrompt();
    first.type("get Authors['arin']['email'] as utf8;" + Pty.ENTER);
    first.await("=> (column=email");
    first.awaitPrompt();
    first.type("exit" + Pty.ENTER);
    assertEquals(0, first.awaitEnd());

    Pty second = shell(Pty.historyIn(history));
    second.awaitPrompt();
    second.type(Pty.CTRL_L + Pty.CTRL_R + "EMAIL");
    second.await("get Authors['arin']['email'] as utf8;");
    second.type(Pty.ENTER);

    second.awaitScreen(
        """
        [default@Blog] get Authors['arin']['email'] as utf8;
        => (column=email, value=arin@example.com, timestamp=T)
        [default@Blog]
        """);
  }

  @Test
  void ctrlCClearsWhatIsTypedAndEndsTheCallButNotTheShell() throws IOException {
    Pty shell = atPrompt();
    shell.type("count Authors['arin'];" + Pty.ENTER);
    shell.await("1 columns");
    shell.awaitPrompt();
    shell.type(Pty.CTRL_L + "get Authors['ar");
    shell.awaitScreen("[default@Blog] get Authors['ar");
    shell.type(Pty.CTRL_C);
    shell.awaitScreen("[default@Blog] get Authors['ar\n[default@Blog]");
    signal("STOP");
    try {
      shell.type("set Authors['arin']['email'] = 'new';" + Pty.ENTER);
      shell.awaitCursorAtLine(2);
      shell.typeUntil(Pty.CTRL_C, "interrupted; what was sent may still be applied");
    } finally {
      signal("CONT");
    }
    shell.awaitPrompt();
    shell.type("set Authors['arin']['email'] = 'arin@example.com';" + Pty.ENTER);

    shell.await("Value inserted.");
  }

  @Test
  void wrongStatementGetsACaretBelowTheWrongWord() throws IOException {
    Pty shell = atPrompt();
    shell.type(Pty.CTRL_L + "get Authors['日本' to;" + Pty.ENTER);

    shell.awaitScreen(
        """
        [default@Blog] get Authors['日本' to;
                                          ^
        found 'to'; expected ']'
        [default@Blog]
        """);
  }

  @Test
  void longAnswersStopAtTheEndOfTheScreenUntilTheUserHasSeenEnough() throws IOException {
    Pty shell = atPrompt();
    shell.type("help" + Pty.ENTER);
    shell.await("-- more:");
    shell.type("q");
    shell.awaitPrompt();
    shell.type("count Authors['arin'];" + Pty.ENTER);

    shell.await("1 columns");
  }

  @Test
  void withoutANodeItStartsAndConnectsLater() throws IOException {
    Pty shell = shell(Map.of(), "shell", "-p", "1");
    shell.await("Not connected: no node answers at 127.0.0.1:1.");
    shell.awaitPrompt();
    shell.type("connect localhost:" + node.ports().client() + ";" + Pty.ENTER);
    shell.await("Connected to: \"Test Cluster\"");
    shell.awaitPrompt();
    shell.type("use Bl");
    shell.typeUntil(Pty.TAB, "use Blog");
    shell.type(";" + Pty.ENTER);
    shell.await("[default@Blog]");
  }

  @Test
  void worksAtATerminalThatCanDoNothingAndKeepsNoHistoryWhereItCannot() throws IOException {
    Path file = Files.writeString(folder.resolve("a-file"), "");
    Map<String, String> environment = new HashMap<>(Pty.historyIn(file.resolve("history")));
    environment.put("TERM", "dumb");
    environment.put("LC_ALL", "C");
    Pty shell = shell(environment);
    shell.await("The history is not saved");
    shell.await("[default@Blog]");
    shell.type("get Authors['arin']['email'] as utf8;" + Pty.ENTER);
    shell.await("=> (column=email, value=arin@example.com");
    shell.type("exit;" + Pty.ENTER);
    assertEquals(0, shell.awaitEnd());
  }

  private Pty atPrompt() throws IOException {
    Pty shell = shell(Map.of("COLONNADE_HISTORY", ""));
    shell.awaitPrompt();
    return shell;
  }

  private Pty shell(Map<String, String> environment) throws IOException {
    return shell(environment, "shell", "-p", String.valueOf(node.ports().client()), "-k", "Blog");
  }

  private Pty shell(Map<String, String> environment, String... arguments) throws IOException {
    Pty shell = Pty.start(colonnade(arguments), COLUMNS, ROWS, environment);
    started.add(shell);
    return shell;
  }

  private static List<String> colonnade(String... arguments) {
    List<String> command =
        ChildJvm.colonnade(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Stops the node's process, or lets it go on. */
  private static void signal(String name) throws IOException {
    Process kill =
        new ProcessBuilder("kill", "-" + name, String.valueOf(node.pid())).inheritIO().start();
    assertTrue(ChildJvm.exited(kill, Duration.ofSeconds(10)));
    assertEquals(0, kill.exitValue());
  }
}
