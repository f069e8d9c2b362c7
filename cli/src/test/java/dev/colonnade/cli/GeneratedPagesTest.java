package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The page for man and the scripts of completion, which are made from the model of commands. */
final class GeneratedPagesTest {

  private static final Path MANUAL_PAGE = Path.of("..", "docs", "man", "colonnade.1");

  @TempDir private Path temporary;

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

  @Test
  void fishItselfCompletesCommandsAndOptions() throws Exception {
    Optional<Path> fish =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .map(folder -> Path.of(folder, "fish"))
            .filter(Files::isExecutable)
            .findFirst();
    boolean expected = System.getenv("COLONNADE_EXPECT_FISH") != null;
    assertTrue(fish.isPresent() || !expected, "fish is expected on the path");
    assumeTrue(fish.isPresent(), "there is no fish, of Debian's package fish");
    assertEquals(0, run("generate-completion", "fish"), err.toString());
    Path script = Files.writeString(temporary.resolve("colonnade.fish"), out.toString());
    for (Map.Entry<String, String> each :
        Map.of(
                "colonnade generate-m", "generate-manpage\t",
                "colonnade get --por", "--port\t",
                "colonnade conf check --out", "--output\t",
                "colonnade -x conf sho", "show\t")
            .entrySet()) {
      Process process =
          new ProcessBuilder(
                  fish.get().toString(),
                  "--no-config",
                  "-c",
                  "source " + script + "; complete -C '" + each.getKey() + "'")
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor(), said);
      assertEquals(1, said.lines().count(), each.getKey() + ": " + said);
      assertTrue(said.startsWith(each.getValue()), each.getKey() + ": " + said);
    }
  }

  private static String withoutTime(String script) {
    return script.replaceAll("(?m)^# Date: .*$", "");
  }

  private static Set<String> commands() {
    return Colonnade.commandLine().getSubcommands().entrySet().stream()
        .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static CommandLine command(String name) {
    return Objects.requireNonNull(Colonnade.commandLine().getSubcommands().get(name), name);
  }
}
