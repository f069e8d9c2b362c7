package dev.colonnade.it.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonStreamParser;
import dev.colonnade.it.LocalNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pages are true: every command runs, every statement and every piece of Java, in the order in
 * which they stand, against one fresh node, only with another port; and where a page shows what is
 * printed, that is what is printed.
 *
 * <p>{@code -Dcolonnade.pages.rewrite=true} puts what is printed into the pages instead.
 */
final class PagesIT {

  /** Commands of a page that are run in another way here. */
  private static final Set<String> DONE_ALREADY =
      Set.of(
          // The node that this test has started.
          "./colonnade server",
          // Runs until it is stopped; ClusterCommandIT does it.
          "./colonnade cluster",
          // The run that this test is a part of.
          "./mvnw verify");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "docs/data-model.md",
        "docs/client-java.md",
        "docs/search.md",
        "docs/calling-by-reflection.md"
      })
  void everythingOnThePageIsTrue(String name, TestReporter reporter) throws Exception {
    Path home = Path.of(System.getProperty("colonnade.home", ".."));
    Page page = Page.read(home.resolve(name));
    Optional<Path> buf = findBuf(home);
    assertTrue(
        buf.isPresent() || System.getenv("COLONNADE_EXPECT_BUF") == null,
        "buf was installed and is not there");
    Path work = Files.createDirectory(folder.resolve("desk"));
    boolean rewrite = Boolean.getBoolean("colonnade.pages.rewrite");
    List<Answered> answers = new ArrayList<>();
    try (LocalNode node = LocalNode.process(LocalNode.Settings.in(folder.resolve("data")));
        DocRunner desk = new DocRunner(work, home, node.ports().client(), buf)) {
      for (int i = 0; i < page.blocks().size(); i++) {
        Block block = page.blocks().get(i);
        if (block.isAnswer()) {
          continue;
        }
        assertFalse(block.language().isEmpty(), page.where(block) + " has no language");
        if (!desk.canRun(block)) {
          reporter.publishEntry(
              page.where(block),
              "left out: no `buf` on the PATH or in integration-tests/target/tools; .ci/run installs it");
          continue;
        }
        String printed = run(desk, page, block);
        if (i + 1 < page.blocks().size() && page.blocks().get(i + 1).isAnswer()) {
          Block shown = page.blocks().get(i + 1);
          answers.add(new Answered(shown, printed));
          if (!rewrite) {
            check(page, shown, printed);
          }
        }
      }
    }
    if (rewrite) {
      rewrite(page, answers);
    }
  }

  private static String run(DocRunner desk, Page page, Block block) throws Exception {
    Block toDo = withoutWhatIsDone(block);
    if (toDo.text().isBlank()) {
      return "";
    }
    try {
      return desk.run(toDo);
    } catch (AssertionError e) {
      throw new AssertionError(page.where(block) + ": " + e.getMessage(), e);
    }
  }

  private static Block withoutWhatIsDone(Block block) {
    List<String> lines =
        block
            .text()
            .lines()
            .filter(line -> !DONE_ALREADY.contains(line.replaceFirst(" *#.*", "").strip()))
            .toList();
    return new Block(
        block.language(), String.join("\n", lines) + "\n", block.line(), block.indent());
  }

  private static void check(Page page, Block shown, String printed) {
    if (shown.language().equals("json")) {
      assertEquals(json(shown.text()), json(printed), page.where(shown));
    } else if (!Answer.matches(shown.text(), printed)) {
      assertEquals(shown.text(), printed, page.where(shown));
    }
  }

  private record Answered(Block shown, String printed) {}

  private static void rewrite(Page page, List<Answered> answers) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(page.file()));
    for (int i = answers.size() - 1; i >= 0; i--) {
      Block shown = answers.get(i).shown();
      if (shown.language().equals("text")
          && !Answer.matches(shown.text(), answers.get(i).printed())) {
        int first = shown.line();
        lines.subList(first, first + (int) shown.text().lines().count()).clear();
        lines.addAll(
            first,
            Answer.shown(answers.get(i).printed()).lines().map(l -> shown.indent() + l).toList());
      }
    }
    Files.write(page.file(), lines);
  }

  private static List<JsonElement> json(String text) {
    List<JsonElement> values = new ArrayList<>();
    new JsonStreamParser(text).forEachRemaining(values::add);
    return values;
  }

  private static Optional<Path> findBuf(Path home) {
    Stream<Path> installed =
        Stream.of(home.resolve("integration-tests/target/tools/node_modules/.bin"));
    Stream<Path> onPath = Stream.of(System.getenv("PATH").split(":", -1)).map(Path::of);
    return Stream.concat(installed, onPath)
        .map(folder -> folder.resolve("buf").toAbsolutePath())
        .filter(Files::isExecutable)
        .findFirst();
  }
}
