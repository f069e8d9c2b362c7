package dev.colonnade.it.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/operations.md: its commands are run in their order, from the archive on, with three nodes as
 * processes; only the ports differ. Each alert has its heading, and each heading its commands.
 */
@Timeout(300)
final class OperationsPageIT {

  private static final Path HOME = Path.of(System.getProperty("colonnade.home", ".."));
  private static final Path PAGE = HOME.resolve("docs/operations.md");
  private static final Path ALERTS = HOME.resolve("docs/ops/colonnade-alerts.yml");
  private static final String SECTION_OF_ALERTS = "## Alerts";

  /** Bash itself tells of the last command alone. */
  private static final String NOTE_FAILURES =
      "\nfailed=; trap 'failed=\"$failed [$BASH_COMMAND]\"' ERR\n";

  private static final String NONE_FAILED = "\necho \"$failed\"; [ -z \"$failed\" ]\n";

  @TempDir Path folder;

  @Test
  void theCommandsOfThePageWork() throws Exception {
    Page page = Page.read(PAGE);
    List<String> lines = Files.readAllLines(PAGE);
    int alerts = 1 + lines.indexOf(SECTION_OF_ALERTS);
    int clients = BashSession.freePort();
    int peers = BashSession.freePort();
    int http = BashSession.freePort();
    Set<String> askedForAlerts = new LinkedHashSet<>();
    try (BashSession bash = new BashSession(bash(clients))) {
      String unused = bash.done(makeArchive() + NOTE_FAILURES);
      try {
        for (Block block : page.blocks()) {
          if (!block.language().equals("sh")) {
            continue;
          }
          // Alerts share commands, which stand on lines of their own there.
          String toDo = block.line() < alerts ? block.text() : unasked(block, askedForAlerts);
          String printed =
              bash.done(
                  toDo.replace(
                          "colonnade server ",
                          "colonnade server --client-port %d --peer-port %d --http-port %d "
                              .formatted(clients, peers, http))
                      .replace(":8080/", ":" + http + "/")
                      .concat(NONE_FAILED));
          expect(page.where(block), toDo, printed);
        }
      } finally {
        bash.endJobs();
      }
    }
    assertTrue(askedForAlerts.size() > 15, askedForAlerts::toString);
  }

  private static String unasked(Block block, Set<String> asked) {
    return String.join("\n", block.text().lines().filter(asked::add).toList()) + "\n";
  }

  /** That a command ends well does not say yet that it showed what the page is after. */
  private static void expect(String where, String commands, String printed) {
    Map<String, String> shown =
        Map.of(
            "colonnade --version", "colonnade 0.",
            "certs show", "node-127.0.0.3",
            "create keyspace", "Value inserted.",
            "snapshot verify", "nightly",
            "colonnade get", "a bicycle",
            "start 127.0.0.3", "127.0.0.3",
            "colonnade describe cluster", "Shop");
    shown.forEach(
        (command, words) -> {
          if (commands.contains(command)) {
            assertTrue(printed.contains(words), () -> where + " printed\n" + printed);
          }
        });
  }

  /** An archive as cli/src/dist/package makes it, but with a link in place of the large jar. */
  private String makeArchive() throws IOException {
    Matcher version =
        Pattern.compile("(?m)^ {2}<version>([0-9.]+).*</version>$")
            .matcher(Files.readString(HOME.resolve("pom.xml")));
    assertTrue(version.find(), "the version of the build");
    String name = "colonnade-" + version.group(1);
    assertTrue(Files.readString(PAGE).contains(name + ".tar.gz"), "the page names " + name);
    Path installation = folder.resolve(name);
    Files.createDirectories(installation.resolve("lib"));
    // Room for the launcher's archive of classes, which a checkout has: the page has many commands.
    Files.createDirectories(installation.resolve("cli/target"));
    Files.copy(HOME.resolve("colonnade"), installation.resolve("colonnade"));
    Path jar = Path.of(System.getProperty("colonnade.jar", "../cli/target/colonnade.jar"));
    Files.createSymbolicLink(
        installation.resolve("lib/colonnade.jar"), jar.toAbsolutePath().normalize());
    return "chmod +x NAME/colonnade && tar -czf NAME.tar.gz NAME && rm -r NAME && sha256sum NAME.tar.gz >SHA256SUMS"
        .replace("NAME", name);
  }

  private ProcessBuilder bash(int clientPort) {
    ProcessBuilder builder = new ProcessBuilder("bash").directory(folder.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "COLONNADE_PORT",
                Integer.toString(clientPort),
                "COLONNADE_HEAP",
                "256m",
                "JAVA_HOME",
                System.getProperty("java.home"),
                "JAVA_OPTS",
                "-XX:TieredStopAtLevel=1"));
    return builder;
  }

  @Test
  void eachAlertHasItsHeadingAndItsCommandsAndLeadsThere() throws IOException {
    List<String> rules = new ArrayList<>();
    Matcher rule =
        Pattern.compile("- alert: (\\w+)\\n(?:(?!- alert:)[\\s\\S])*?runbook_url: \"([^\"]+)\"")
            .matcher(Files.readString(ALERTS));
    while (rule.find()) {
      rules.add(rule.group(1));
      assertEquals("docs/operations.md#" + rule.group(1).toLowerCase(Locale.ROOT), rule.group(2));
    }
    long all = Files.readAllLines(ALERTS).stream().filter(l -> l.contains("- alert:")).count();
    assertEquals(all, rules.size(), "each rule has a runbook_url");
    String page = Files.readString(PAGE);
    String section = page.substring(page.indexOf(SECTION_OF_ALERTS + "\n"));
    section = section.substring(0, section.indexOf("\n## ", 1));
    List<String> headings = new ArrayList<>();
    for (String part : section.split("\n### ", -1)) {
      if (part.startsWith("Colonnade")) {
        headings.add(part.lines().findFirst().orElse(""));
        assertTrue(part.contains("\n```sh\n"), part);
      }
    }
    assertEquals(rules, headings);
  }

  /** No test runs what root does on a machine with systemd; what it names must be there. */
  @Test
  void whatRootDoesNamesFilesOfThePackage() throws IOException {
    Path dist = HOME.resolve("cli/src/dist");
    int commands = 0;
    for (Block block : Page.read(PAGE).blocks()) {
      if (!block.language().equals("console")) {
        continue;
      }
      for (String line : block.text().lines().toList()) {
        commands++;
        assertTrue(
            line.matches("# (dpkg -i|editor|systemctl|journalctl|colonnade) .*|# colonnade drain"),
            line);
        Matcher file = Pattern.compile("/etc/colonnade/(\\S+)").matcher(line);
        while (file.find()) {
          assertTrue(Files.exists(dist.resolve("conf").resolve(file.group(1))), line);
        }
        if (line.contains("ctl ")) {
          assertTrue(Files.exists(dist.resolve("systemd/colonnade.service")), line);
          assertTrue(line.matches(".* colonnade( .*)?"), line);
        }
      }
    }
    assertTrue(commands > 5, commands + " commands");
  }
}
