package dev.colonnade.cli;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(60)
final class CommandLineTest {

  @TempDir private Path temporary;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void withoutCommandItHelps() {
    assertEquals(0, run());
    assertTrue(out.toString().contains("Usage: colonnade"), out.toString());
    assertTrue(out.toString().contains("server"), out.toString());
    assertTrue(out.toString().contains("demo"), out.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"server", "demo", "conf", "conf check", "damaged"})
  void everyCommandExplainsItself(String command) {
    assertEquals(0, run((command + " --help").split(" ")));
    assertTrue(out.toString().contains("Usage: colonnade " + command), out.toString());
    assertEquals("", err.toString());
  }

  @Test
  void helpOfTheServerNamesEveryDefaultAndItsUnit() {
    run("server", "--help");
    String help = out.toString().replaceAll("\\s+", " ");

    assertTrue(help.contains("(default: ./data)"), help);
    assertTrue(help.contains("(default: 127.0.0.1)"), help);
    assertTrue(help.contains("(0 to 65535; default: 9160)"), help);
    assertTrue(help.contains("(1 to 86400 seconds; default: 900)"), help);
    assertTrue(help.contains("(default: RandomPartitioner; fixed at the first start)"), help);
    assertTrue(help.contains("within 1000 ms"), help);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "serve",
        "--nonsense",
        "server --client-port",
        "server --client-port many",
        "server --client-port 65536",
        "server --peer-port -1",
        "server --http-port 70000",
        "server --commit-log-sync sometimes",
        "server --disk-failure-policy hope",
        "server surplus",
        "demo surplus",
        "conf",
        "conf check",
        "damaged --port 0",
        "damaged --accept nonsense"
      })
  void misuseIsOneLineAndStatusTwo(String line) {
    assertEquals(2, run(line.split(" ")));
    assertEquals("", out.toString());
    assertOneLine();
    assertTrue(err.toString().startsWith("colonnade"), err.toString());
    assertTrue(err.toString().contains("--help"), err.toString());
  }

  @Test
  void dataDirectoryThatIsAFileIsOneLineAndNoStackTrace() throws Exception {
    Path file = Files.writeString(temporary.resolve("data"), "not a directory");

    int status = run("server", "--data", file.toString());

    assertTrue(status == 1 || status == 2, "status " + status);
    assertOneLine();
    assertTrue(err.toString().contains(file.toString()), err.toString());
  }

  @Test
  void debugShowsWhereItFailed() throws Exception {
    Path file = Files.writeString(temporary.resolve("data"), "not a directory");

    run("server", "--debug", "--data", file.toString());

    assertTrue(err.toString().contains("\tat dev.colonnade."), err.toString());
  }

  /** Thrown on the main thread, it would leave the process running with threads that do not end. */
  @Test
  void anErrorIsOneLineAndStatusOneToo() {
    Callable<Integer> broken =
        () -> {
          throw new NoClassDefFoundError("dev/colonnade/Missing");
        };
    CommandLine command = Colonnade.commandLine();
    requireNonNull(command.getSubcommands().get("conf"))
        .addSubcommand("broken", new Broken(broken));

    assertEquals(1, command.setErr(new PrintWriter(err)).execute("conf", "broken"));
    assertOneLine();
    assertTrue(
        err.toString()
            .startsWith(
                "colonnade conf broken: java.lang.NoClassDefFoundError: dev/colonnade/Missing"),
        err.toString());
  }

  @CommandLine.Command
  private record Broken(Callable<Integer> task) implements Callable<Integer> {
    @Override
    public Integer call() throws Exception {
      return task.call();
    }
  }

  @Test
  void storageConfThatIsNoXmlIsRefusedWithLineAndColumn() throws Exception {
    Path conf = temporary.resolve("storage-conf.xml");
    Files.writeString(conf, "<Keyspaces>\n  <Keyspace Name=\"Twissandra\"/>\n  </Keyspace>\n");

    int status =
        run(
            "server",
            "--data",
            temporary.resolve("data").toString(),
            "--storage-conf",
            conf.toString());

    assertEquals(2, status, err.toString());
    assertOneLine();
    assertTrue(err.toString().contains(conf + ":3:"), err.toString());
  }

  @Test
  void settingsAreShownWithTheirOrigins() throws Exception {
    Path conf = temporary.resolve("shown.xml");
    Files.writeString(conf, "<Storage><ThriftPort>9161</ThriftPort></Storage>");
    assertEquals(
        0,
        run("conf", "show", "--changed", "--storage-conf", conf.toString(), "--http-port", "0"),
        err.toString());
    String shown = out.toString();
    assertTrue(shown.contains("file, <ThriftPort>"), shown);
    assertTrue(shown.contains("option, --http-port"), shown);
    assertFalse(shown.contains("cluster_name"), shown);
    assertEquals(0, run("conf", "show", "-o", "json", "--row-cache-bytes", "0"), err.toString());
    String json = out.toString();
    assertTrue(json.contains("COLONNADE_SERVER_ROW_CACHE_BYTES"), json);
    assertTrue(json.contains("\"option\""), json);
    assertEquals(2, run("conf", "show", "--client-port", "65536"));
    assertTrue(err.toString().contains("from 0 to 65535"), err.toString());
  }

  @Test
  void confCheckTellsWhatAFileDefinesAndWhatHasNoEffect() throws Exception {
    Path conf = temporary.resolve("storage-conf.xml");
    Files.writeString(
        conf,
        """
        <Storage>
          <ClusterName>Blogs</ClusterName>
          <DiskAccessMode>auto</DiskAccessMode>
          <Keyspaces>
            <Keyspace Name="BloggyAppy"><ColumnFamily Name="Authors"/></Keyspace>
          </Keyspaces>
        </Storage>
        """);

    assertEquals(0, run("conf", "check", conf.toString()), err.toString());
    assertTrue(out.toString().contains("keyspace BloggyAppy: 1 famil"), out.toString());
    assertTrue(out.toString().contains("line 3: DiskAccessMode"), out.toString());
    assertEquals("", err.toString());
    out.getBuffer().setLength(0);

    assertEquals(0, run("conf", "check", conf.toString(), "-o", "json"), err.toString());
    String json = out.toString();
    assertTrue(json.startsWith("{\"storage_conf\":{\"file\":\"" + conf), json);
    assertTrue(json.endsWith("}}\n{\"returned\":{\"files\":\"1\"}}\n"), json);
    assertTrue(json.contains("\"keyspaces\":[{\"name\":\"BloggyAppy\",\"families\":1}]"), json);
    assertTrue(
        json.contains("\"without_effect\":[{\"line\":3,\"name\":\"DiskAccessMode\",\"reason\":\""),
        json);
    assertEquals(2, run("conf", "check", conf.toString(), "-o", "table"));
  }

  @Test
  void confCheckRefusesAFileThatIsNotThere() {
    assertEquals(2, run("conf", "check", temporary.resolve("none.xml").toString()));
    assertOneLine();
  }

  private void assertOneLine() {
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertFalse(err.toString().contains("\tat "), err.toString());
  }

  private int run(String... arguments) {
    return Colonnade.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
