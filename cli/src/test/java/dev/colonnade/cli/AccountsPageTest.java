package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The walkthrough of docs/accounts.md, on a node with authentication: each command line as it
 * stands, except for the port and the directory of its files. With {@code -Dtranscripts.write=true}
 * the answers in the page are rewritten.
 */
@Timeout(120)
final class AccountsPageTest {

  private static final Path PAGE = Path.of("..", "docs", "accounts.md");

  /** Commands with the block of what they print below them, perhaps behind a sentence. */
  private static final Pattern EXAMPLE =
      Pattern.compile("(?s)```sh\n((?:(?!```).)*)```\n\n```text\n(.*?)```\n");

  private static final Pattern FILE = Pattern.compile("\\b(admin|alice)\\.password\\b");
  private static final Pattern WORD = Pattern.compile("(?s)\"([^\"]*)\"|'([^']*)'|([^\\s\"']+)");

  @TempDir private Path temporary;

  @Test
  void theWalkthroughDoesWhatThePageSays() throws Exception {
    String page = Files.readString(PAGE);
    write(page, "admin.password");
    write(page, "alice.password");
    assertTrue(
        page.contains(
            "colonnade server --authentication password --admin-password-file admin.password &"));
    StringBuilder actual = new StringBuilder();
    int copied = 0;
    int examples = 0;
    try (Node node =
        Node.start(
            NodeOptions.defaults()
                .withDataDirectory(temporary.resolve("data"))
                .withText(AccessSettings.AUTHENTICATION, "password")
                .withText(AccessSettings.PASSWORD_ITERATIONS, "100000")
                .withText(AccessSettings.ADMIN_PASSWORD_FILE, file("admin.password"))
                .withFreePorts())) {
      Matcher example = EXAMPLE.matcher(page);
      while (example.find()) {
        actual.append(page, copied, example.start(2));
        for (String line : commands(example.group(1))) {
          actual.append(run(line, node.clientPort()));
        }
        copied = example.end(2);
        examples++;
      }
    }
    actual.append(page, copied, page.length());
    assertEquals(2, examples, "the page has lost its examples");
    if (Boolean.getBoolean("transcripts.write")) {
      Files.writeString(PAGE, actual);
    } else {
      assertEquals(page, actual.toString());
    }
  }

  /** Command lines, of which one may go on in its quotes. */
  private static List<String> commands(String block) {
    List<String> commands = new ArrayList<>();
    for (String line : block.split("(?m)^(?=colonnade )")) {
      if (!line.isBlank()) {
        commands.add(line.strip());
      }
    }
    return commands;
  }

  private String run(String command, int port) {
    List<String> words = new ArrayList<>();
    Matcher word =
        WORD.matcher(
            FILE.matcher(command).replaceAll(it -> Matcher.quoteReplacement(file(it.group()))));
    while (word.find()) {
      words.add(
          word.group(1) != null
              ? word.group(1)
              : word.group(2) != null ? word.group(2) : word.group(3));
    }
    assertEquals("colonnade", words.remove(0), command);
    words.add("--port");
    words.add(Integer.toString(port));
    String[] args = words.toArray(new String[0]);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        Colonnade.commandLine(args)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(args);
    String printed =
        (out.toString() + err).replaceAll("\"timestamp\":\"\\d+\"", "\"timestamp\":\"…\"");
    assertEquals(command.contains("drop") ? 4 : 0, status, command + printed);
    assertFalse(printed.contains("knows this"), "a password was printed: " + printed);
    return printed;
  }

  private void write(String page, String name) throws Exception {
    Matcher echo = Pattern.compile("echo '([^']*)' > " + Pattern.quote(name)).matcher(page);
    assertTrue(echo.find(), name);
    Path file = Files.writeString(Path.of(file(name)), echo.group(1) + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private String file(String name) {
    return temporary.resolve(name).toString();
  }
}
