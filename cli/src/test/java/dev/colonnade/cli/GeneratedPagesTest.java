package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The page for man and the scripts of completion, which are made from the model of commands. */
final class GeneratedPagesTest {

  private static final Path MANUAL_PAGE = Path.of("..", "docs", "man", "colonnade.1");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Colonnade.commandLine(args)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }

  /** With {@code -Dmanpage.write=true} it is written again. */
  @Test
  void thePageForManIsOfTheCommandsThatThereAre() throws IOException {
    assertEquals(0, run("generate-manpage"), err.toString());
    if (Boolean.getBoolean("manpage.write")) {
      Files.createDirectories(MANUAL_PAGE.getParent());
      Files.writeString(MANUAL_PAGE, out.toString());
    }
    assertEquals(
        Files.readString(MANUAL_PAGE),
        out.toString(),
        "docs/man/colonnade.1 is of other commands: run ./test GeneratedPages -Dmanpage.write=true");
  }

  @Test
  void thePageForManHasEveryCommandAndNoLineThatIsTakenForARequest() {
    assertEquals(0, run("generate-manpage"), err.toString());
    for (String name : commands()) {
      assertTrue(out.toString().contains("\n.SS \"colonnade " + name.replace("-", "\\-")), name);
    }
    Set<String> requests =
        out.toString()
            .lines()
            .filter(line -> line.startsWith(".") || line.startsWith("'"))
            .map(line -> line.split(" ", 2)[0])
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(
        new TreeSet<>(List.of(".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I", ".nf", ".fi")),
        requests);
  }

  @Test
  void fishCompletesEveryCommandAndItsOptions() {
    assertEquals(0, run("generate-completion", "fish"), err.toString());
    List<String> lines = out.toString().lines().toList();
    for (String name : commands()) {
      String start = "complete -c colonnade -n '__colonnade_alone' -f -a '" + name + "'";
      assertTrue(lines.stream().anyMatch(line -> line.startsWith(start)), start);
    }
    String ofGet = "complete -c colonnade -n '__colonnade_after get' ";
    for (OptionSpec option : command("get").getCommandSpec().options()) {
      String words = option.longestName().replaceFirst("^--", " -l ");
      assertTrue(
          lines.stream().anyMatch(line -> line.startsWith(ofGet) && line.contains(words)), words);
    }
    assertTrue(
        lines.contains(
            ofGet
                + "-s p -l port -r -d 'Its port for clients (default: $COLONNADE_PORT, or 9160)'"));
    assertTrue(
        lines.stream().anyMatch(line -> line.contains("'__colonnade_after conf check' -s o")));
    for (String line : lines) {
      long quotes = line.replace("\\'", "").chars().filter(c -> c == '\'').count();
      assertEquals(0, quotes % 2, line);
    }
    assertFalse(out.toString().contains("archive-classes"), "it is hidden");
  }

  @Test
  void bashIsTheDefaultAndServesZsh() {
    assertEquals(0, run("generate-completion"));
    String bash = out.toString();
    out.getBuffer().setLength(0);
    assertEquals(0, run("generate-completion", "zsh"));
    assertEquals(withoutTime(bash), withoutTime(out.toString()));
    assertTrue(bash.contains("complete -F _complete_colonnade"), bash);
    assertEquals(2, run("generate-completion", "tcsh"));
    assertTrue(err.toString().contains("say bash, zsh or fish"), err.toString());
  }

  private static String withoutTime(String script) {
    return script.replaceAll("(?m)^# Date: .*$", "");
  }

  private static Set<String> commands() {
    return Colonnade.commandLine().getSubcommands().entrySet().stream()
        .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
        .map(java.util.Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static CommandLine command(String name) {
    return Objects.requireNonNull(Colonnade.commandLine().getSubcommands().get(name), name);
  }
}
