package dev.colonnade.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.LocalNode;
import dev.colonnade.cli.shell.run.ExitStatus;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How {@code colonnade shell} ends, and what it says of what fails. */
@Timeout(120)
final class ShellStatusTest {

  @TempDir private static Path temporary;

  private static LocalNode node;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void startNode() throws Exception {
    node = LocalNode.start(temporary.resolve("data"));
  }

  @AfterAll
  static void stopNode() throws Exception {
    node.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "show cluster name                 | 0",
        "show cluster name; show keyspaces | 0",
        "get system.None['a']              | 4",
        "get None['a']                     | 4",
        "use None                          | 4",
        "show nothing                      | 2",
        "select 1                          | 2",
        "get CF['a                         | 2",
        "source 'none.txt'                 | 2",
        "exit; show nothing                | 0",
      })
  void statementsEndWithTheirStatus(String statements, int status) {
    assertEquals(status, shell("-e", statements), err.toString());
    assertEquals(status == 0 ? 0 : 1, err.toString().lines().count(), err.toString());
  }

  @Test
  void whatIsNotFoundEndsNoScript() {
    int status =
        shell(
            "-e",
            "create keyspace Absent; use Absent; create column family F;"
                + "get F['k']['c']; get F['k']; show api version");

    assertEquals(0, status, err.toString());
    assertTrue(
        out.toString().endsWith("Value was not found\nReturned 0 results.\n1\n"), out.toString());
  }

  @Test
  void firstFailureEndsAScriptWithItsLine() throws Exception {
    Path script =
        Files.writeString(temporary.resolve("a.txt"), "show api version;\n\nlist F;\nlist G;");

    assertEquals(4, shell("-f", script.toString()));
    assertEquals("1\n", out.toString());
    assertEquals(
        "colonnade shell: "
            + script
            + ":3: no keyspace is in use: enter `use KEYSPACE;` first, or write KEYSPACE.FAMILY\n",
        err.toString());
  }

  @Test
  void continueGoesOnAndKeepsTheFirstStatus() throws Exception {
    Path called = Files.writeString(temporary.resolve("called.txt"), "list F;\nshow api version;");
    Path script =
        Files.writeString(
            temporary.resolve("b.txt"), "source '" + called + "';\nshow me;\nshow cluster name;");

    assertEquals(4, shell("--continue", "--echo", "-f", script.toString()));
    assertTrue(out.toString().endsWith("1\n> show cluster name;\nTest Cluster\n"), out.toString());
    List<String> failures = err.toString().lines().toList();
    assertEquals(2, failures.size(), err.toString());
    assertTrue(failures.get(0).startsWith("colonnade shell: " + called + ":1: "), err.toString());
    assertTrue(failures.get(1).startsWith("colonnade shell: " + script + ":2: "), err.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"use Staging;", "use Staging now;"})
  void afterAFailedUseNoKeyspaceIsInUse(String use) throws Exception {
    String made = "create keyspace Production; use Production; create column family Users;";
    Path script =
        Files.writeString(
            temporary.resolve("use.txt"),
            made
                + "set Users[0x01][0x02] = 0x03;\n"
                + use
                + "\n"
                + "truncate Users;\n"
                + "get Production.Users[0x01][0x02];\n"
                + "drop keyspace Production;");

    assertEquals(use.contains("now") ? 2 : 4, shell("--continue", "-f", script.toString()));

    assertTrue(out.toString().contains("value=0x03"), out + " " + err);
    assertTrue(err.toString().contains(":3: no keyspace is in use"), err.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"connect 127.0.0.1/1;", "consistencylevel as QUORUMS;", "login nobody;"})
  void aScriptEndsWhereWhatFollowsWasMeantForElsewhere(String failing) throws Exception {
    Path called =
        Files.writeString(temporary.resolve("called2.txt"), failing + "\nshow api version;");
    Path script =
        Files.writeString(
            temporary.resolve("c.txt"), "source '" + called + "';\nshow cluster name;");

    int status = shell("--continue", "-f", script.toString(), "-f", script.toString());

    assertTrue(status != 0, err.toString());
    assertEquals("", out.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aScriptThatIsNotUtf8EndsAtItsLine(boolean input) throws Exception {
    byte[] text =
        "show api version;\nshow cluster name; -- caf\u00e9\nshow api version;"
            .getBytes(ISO_8859_1);
    Path script = Files.write(temporary.resolve("latin1.txt"), text);
    InputStream before = System.in;
    int status;
    try {
      System.setIn(new ByteArrayInputStream(text));
      status = shell("--continue", "-f", input ? "-" : script.toString());
    } finally {
      System.setIn(before);
    }

    assertEquals(2, status);
    assertTrue(out.toString().startsWith("1\n"), out.toString());
    assertEquals(
        "colonnade shell: cannot read "
            + (input ? "standard input" : script)
            + ": line 2 is not UTF-8\n",
        err.toString());
  }

  @Test
  void scriptThatCallsItselfEnds() throws Exception {
    Path script = temporary.resolve("self.txt");
    Files.writeString(script, "source '" + script + "';");

    assertEquals(4, shell("-f", script.toString()));
    assertTrue(err.toString().contains("does one run itself?"), err.toString());
  }

  @Test
  void severalStatementsOfTheCommandLineRunInOrder() {
    assertEquals(0, shell("-e", "show api version", "-e", "show cluster name"));
    assertEquals("1\nTest Cluster\n", out.toString());
    assertEquals(4, shell("-k", "system", "-e", "show api version", "-e", "list None"));
    assertTrue(err.toString().startsWith("colonnade shell: -e #2:1: "), err.toString());
  }

  @Test
  void anUnreachableNodeIsThree() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }

    assertEquals(3, run("shell", "--port", Integer.toString(free), "-e", "show api version"));
    assertTrue(
        err.toString().contains("no node answers at 127.0.0.1:" + free + "; is one running there?"),
        err.toString());
  }

  @Test
  void noAnswerInTimeIsFive() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int status =
          run(
              "shell",
              "--port",
              Integer.toString(silent.getLocalPort()),
              "--timeout",
              "300ms",
              "-e",
              "show api version");

      assertEquals(5, status, err.toString());
      assertEquals(1, err.toString().lines().count(), err.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--port,many",
    "--port,0",
    "--timeout,soon",
    "--timeout,0",
    "--consistency,MOST",
    "-o,csv",
    "--nonsense,x",
    "-f,none.txt",
  })
  void commandLineWithoutSenseIsTwo(String option, String value) {
    assertEquals(2, shell(option, value), err.toString());
    assertEquals("", out.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
  }

  @Test
  void errorsOfJsonAreObjectsOnStandardError() {
    assertEquals(4, shell("-o", "json", "-e", "list F"));
    assertEquals("", out.toString());
    assertEquals(
        "{\"error\":{\"where\":\"colonnade shell: -e:1\",\"message\":\"no keyspace is in use: enter"
            + " `use KEYSPACE;` first, or write"
            + " KEYSPACE.FAMILY\",\"reason\":\"NO_KEYSPACE\",\"status\":4}}\n",
        err.toString());
  }

  @Test
  void helpAndDocumentationHaveTheWholeTable() throws Exception {
    assertEquals(0, run("shell", "--help"));
    String help = out.toString().replaceAll("\\s+", " ");
    String page = Files.readString(Path.of("..", "docs", "shell.md"));

    for (ExitStatus status : ExitStatus.values()) {
      assertTrue(help.contains(status.code() + " " + status.meaning()), status + ": " + help);
      assertTrue(
          page.contains("| " + status.code() + " | " + status.meaning() + " |"),
          status + " is not in docs/shell.md");
    }
  }

  private int shell(String... arguments) {
    List<String> all = new ArrayList<>(List.of("shell", "--port", Integer.toString(node.port())));
    all.addAll(List.of(arguments));
    return run(all.toArray(new String[0]));
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Colonnade.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
