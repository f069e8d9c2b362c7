package dev.colonnade.cli.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.demo.Walkthroughs;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.KeyspaceDefinition;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The walkthroughs against a node in this process, and the nodes that the demo itself starts. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DemoCommandTest {

  private static final int COLUMNS = 5_000;

  private final StringWriter story = new StringWriter();
  private final StringWriter errors = new StringWriter();
  private TemporaryNode node;
  private Colonnade client;

  @BeforeAll
  void startNode() throws Exception {
    node = TemporaryNode.start();
    client = Colonnade.connect("127.0.0.1:" + node.clientPort());
  }

  @AfterAll
  void stopNode() throws Exception {
    client.close();
    node.close();
    assertFalse(Files.exists(node.directory()), "left behind: " + node.directory());
  }

  static List<String> names() {
    return Walkthroughs.all(COLUMNS).stream().map(Walkthrough::name).toList();
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyWalkthroughCanBeRunAloneAndAgainAndLeavesNothingBehind(String name) {
    List<String> before = keyspaces();
    assertEquals(0, demo(node.clientPort(), name), story.toString());
    assertEquals(0, demo(node.clientPort(), name), story.toString());
    assertEquals(before, keyspaces());
  }

  @Test
  void allOfThemShowTheTwoOrdersOfTheArticleInPlainText() {
    assertEquals(0, demo(node.clientPort()), story.toString());

    List<String> lines = told().lines().map(String::strip).toList();
    assertTrue(lines.contains("ok  LongType sorts by number: 3 123 976 832416"), told());
    assertTrue(lines.contains("ok  UTF8Type sorts by character: 123 3 832416 976"), told());
    assertTrue(told().contains("answers are what the articles promise"), told());
    assertTrue(told().chars().allMatch(c -> c == '\n' || (c >= ' ' && c < 0x7f)), told());
    assertTrue(lines.stream().allMatch(line -> line.length() <= 120), told());
  }

  @Test
  void whatIsShownAsAStatementIsOneThatTheShellTakes() throws Exception {
    assertEquals(0, demo(node.clientPort()), story.toString());

    List<String> statements =
        told()
            .lines()
            .filter(line -> line.startsWith("  > ") && line.endsWith(";"))
            .map(line -> line.substring("  > ".length()))
            .toList();
    assertTrue(statements.size() > 50, told());
    for (String statement : statements) {
      assertEquals(1, StatementReader.parseAll(statement).size(), statement);
    }
  }

  @Test
  void answersInAWrongOrderAreNoticed() throws Exception {
    try (ReversingProxy proxy = ReversingProxy.before(node.clientPort())) {
      assertEquals(1, demo(proxy.port(), "sorting", "bloggyappy"), story.toString());
    }

    List<String> broken =
        told().lines().map(String::strip).filter(line -> line.startsWith("DIFFERS")).toList();
    assertTrue(broken.get(0).startsWith("DIFFERS  LongType sorts by number"), told());
    assertTrue(broken.contains("DIFFERS  homeAddress comes before workAddress"), told());
    assertTrue(told().contains("found:    832416 976 123 3"), told());
  }

  @Test
  void aKeyspaceThatNoDemoMadeIsNotTouched() {
    client
        .schema()
        .create(
            KeyspaceDefinition.named("Twissandra")
                .with(ColumnFamilyDefinition.standard("Mine", Comparators.UTF8)));
    try {
      assertEquals(1, demo(node.clientPort(), "sorting", "twissandra"));

      assertTrue(errors.toString().contains("a keyspace Twissandra that no demo made"), errors());
      assertFalse(told().contains("Sorting"), told());
      assertTrue(client.schema().keyspace("Twissandra").columnFamily("Mine").isPresent());
    } finally {
      client.schema().dropKeyspace("Twissandra");
    }
  }

  @Test
  void keyspacesStayWhenAskedForAndAreMadeAnewByTheNextRun() {
    assertEquals(0, demo(node.clientPort(), "--keep", "tags"), story.toString());
    assertTrue(keyspaces().contains("Bookmarks"));
    assertEquals(0, demo(node.clientPort(), "tags"), story.toString());
    assertFalse(keyspaces().contains("Bookmarks"));
  }

  @Test
  void listTellsNamesAndRunsNothing() {
    assertEquals(0, execute("--list"));

    List<String> lines = told().lines().toList();
    assertEquals(names(), lines.stream().map(line -> line.split(" ", -1)[0]).toList());
  }

  @Test
  void unknownNamesAreToldWithThoseThatThereAre() {
    assertEquals(CommandLine.ExitCode.USAGE, execute("nonsense"));

    assertTrue(errors().contains("there is no walkthrough nonsense"), errors());
    assertTrue(errors().contains("bloggyappy"), errors());
  }

  @Test
  void commandStartsANodeInThisProcessIfOneIsAskedFor() {
    assertEquals(0, execute("--nodes", "1", "sorting"), story.toString());
    assertTrue(told().startsWith("Starting a node ... ready after "), told());
    assertFalse(told().contains("A node dies"), told());
  }

  @Test
  void commandStartsThreeNodesAndAsksAgainWhenOneHasDied() {
    assertEquals(0, execute("sorting", "tags", "--verbose"), story.toString());
    assertTrue(told().startsWith("Starting 3 nodes ... ready after "), told());
    List<String> lines = told().lines().map(String::strip).toList();
    int dead = lines.indexOf("A node dies");
    assertTrue(dead > 0, told());
    assertTrue(
        lines.subList(dead, lines.size()).contains("ok  sorting: 3 of 3 answers are as before"),
        told());
    assertTrue(
        lines.subList(dead, lines.size()).contains("ok  tags: 3 of 3 answers are as before"),
        told());
    assertEquals(0, ProcessHandle.current().children().count(), "nodes are left behind");
  }

  @Test
  void withoutVerboseItIsAPageOfEightyColumns() {
    assertEquals(
        0, execute("--node", "127.0.0.1:" + node.clientPort(), "--columns", "" + COLUMNS), told());

    List<String> lines = told().lines().toList();
    assertTrue(lines.size() <= 20, told());
    assertTrue(lines.stream().allMatch(line -> line.length() <= 80), told());
    assertTrue(
        lines.stream().anyMatch(line -> line.matches("  ok  .\\d answers  Twissandra: .*")),
        told());
    assertTrue(told().contains("answers are what the articles promise"), told());
  }

  @Test
  void aDifferenceIsShownWithoutVerboseToo() throws Exception {
    try (ReversingProxy proxy = ReversingProxy.before(node.clientPort())) {
      assertEquals(1, execute("--node", "127.0.0.1:" + proxy.port(), "sorting"), told());
    }

    assertTrue(told().contains("DIFFERS  LongType sorts by number"), told());
    assertTrue(told().contains("found:    832416 976 123 3"), told());
  }

  /** Standard input of the tests is at its end, so the shell leaves at once. */
  @Test
  void staysForTheShellWithTheDataOfTheExamples() {
    InputStream before = System.in;
    System.setIn(
        new ByteArrayInputStream(
            "get Bookmarks.Tags['none'];\nshow keyspaces;\n".getBytes(StandardCharsets.UTF_8)));
    try {
      assertEquals(0, execute("--nodes", "1", "--stay", "tags"), told() + errors());
    } finally {
      System.setIn(before);
    }

    assertTrue(told().contains("The shell is open on the nodes"), told());
    assertTrue(told().contains("Keyspace: Bookmarks:"), told() + errors());
  }

  @Test
  void staysOnlyOnNodesOfItsOwn() {
    assertEquals(
        CommandLine.ExitCode.USAGE, execute("--stay", "--node", "127.0.0.1:" + node.clientPort()));
    assertTrue(errors().contains("--keep"), errors());
  }

  @Test
  void twoNodesAreRefusedBecauseNeitherCanDie() {
    assertEquals(CommandLine.ExitCode.USAGE, execute("--nodes", "2", "sorting"));
    assertTrue(errors().contains("--nodes is 2"), errors());
  }

  private int demo(int port, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--verbose");
    all.addAll(List.of("--node", "127.0.0.1:" + port, "--columns", String.valueOf(COLUMNS)));
    return execute(all.toArray(String[]::new));
  }

  /** Standard output and standard error start empty with each run. */
  private int execute(String... arguments) {
    story.getBuffer().setLength(0);
    errors.getBuffer().setLength(0);
    return new CommandLine(new DemoCommand())
        .setOut(new PrintWriter(story, true))
        .setErr(new PrintWriter(errors, true))
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              command.getErr().println(failure.getMessage());
              return CommandLine.ExitCode.SOFTWARE;
            })
        .execute(arguments);
  }

  private String told() {
    return story.toString();
  }

  private String errors() {
    return errors.toString();
  }

  private List<String> keyspaces() {
    return client.schema().keyspaces().stream().map(KeyspaceDefinition::name).toList();
  }
}
