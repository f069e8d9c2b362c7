package dev.colonnade.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of the shell's reference, in their order on a fresh node. With {@code
 * -Dtranscripts.write=true} the answers in the page are rewritten.
 */
@Timeout(120)
final class ShellPageTest {

  private static final Path PAGE = Path.of("..", "docs", "shell.md");

  private static final Pattern EXAMPLE =
      Pattern.compile("(?s)```colonnade\n(.*?)```\n```text\n(.*?)```\n");

  @TempDir private Path temporary;

  @Test
  void everyExampleAnswersAsThePageSays() throws Exception {
    String page = Files.readString(PAGE);
    StringBuilder actual = new StringBuilder();
    Matcher example = EXAMPLE.matcher(page);
    int copied = 0;
    int examples = 0;
    try (LocalNode node = LocalNode.start(temporary);
        ShellRun shell = new ShellRun(node.port())) {
      while (example.find()) {
        actual.append(page, copied, example.start(2));
        actual.append(shell.answerOrFailure(example.group(1)));
        copied = example.end(2);
        examples++;
      }
    }
    actual.append(page, copied, page.length());

    assertTrue(examples > 5, "the page has lost its examples");
    if (Boolean.getBoolean("transcripts.write")) {
      Files.writeString(PAGE, actual);
      return;
    }
    assertEquals(page, actual.toString());
  }
}
