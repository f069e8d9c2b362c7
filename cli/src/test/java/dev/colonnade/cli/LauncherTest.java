package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code colonnade}, in a directory of its own and with a fake Java that prints its
 * arguments.
 */
@Timeout(60)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the launcher is a shell script")
final class LauncherTest {

  @TempDir private Path temporary;

  private Path launcher;
  private Path jar;
  private Path jdk;

  private record Run(int status, String output) {}

  @BeforeEach
  void copyLauncher() throws IOException {
    Path home = Files.createDirectories(temporary.resolve("a home"));
    launcher = Files.copy(Path.of("..", "colonnade"), home.resolve("colonnade"));
    jar = Files.createDirectories(home.resolve("cli/target")).resolve("colonnade.jar");
    Files.writeString(jar, "a jar");
    jdk = temporary.resolve("a jdk");
  }

  @Test
  void startsTheJarWithWhatChronicleNeedsAndTheArgumentsAsGiven() throws Exception {
    makeJdk("17");

    Run run = run(Map.of(), "server", "--data", "a b");

    assertEquals(0, run.status(), run.output());
    List<String> words = run.output().lines().toList();
    assertTrue(words.contains("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"), run.output());
    assertTrue(words.contains("-Xmx1g"), run.output());
    assertTrue(words.contains("-XX:G1NewSizePercent=25"), run.output());
    assertEquals(
        List.of("-jar", jar.toRealPath().toString(), "server", "--data", "a b"),
        words.subList(words.size() - 5, words.size()));
  }

  @Test
  void heapAndFurtherOptionsComeFromTheEnvironment() throws Exception {
    makeJdk("21");

    Run run = run(Map.of("COLONNADE_HEAP", "3g", "JAVA_OPTS", "-Da=1 -Db=2"), "demo");

    List<String> words = run.output().lines().toList();
    assertTrue(words.containsAll(List.of("-Xmx3g", "-Da=1", "-Db=2")), run.output());
  }

  @Test
  void clientsStartQuicklyFromClassesThatWereArchivedOnce() throws Exception {
    makeJdk("17");
    Path archive = jar.resolveSibling("colonnade-17.jsa");
    Run first = run(Map.of(), "get", "Authors['a b']");
    assertEquals("", Files.readString(archive), "the fake Java has made none");
    Files.writeString(archive, "an archive");

    Run second = run(Map.of(), "get", "Authors['a b']");

    assertFalse(first.output().contains("SharedArchiveFile"), first.output());
    List<String> words = second.output().lines().toList();
    assertTrue(words.contains("-XX:SharedArchiveFile=" + archive.toRealPath()), second.output());
    assertTrue(words.contains("-Xmx512m"), second.output());
    assertFalse(second.output().contains("--add-opens"), second.output());
    assertTrue(words.contains("-XX:ArchiveRelocationMode=0"), second.output());
    String path = jar.toRealPath().toString();
    assertEquals(
        List.of("-cp", path, "dev.colonnade.cli.Colonnade", "get", "Authors['a b']"),
        words.subList(words.size() - 5, words.size()));
  }

  @Test
  void whatReadsFilesOfNodesHasWhatTheManifestOpens() throws Exception {
    makeJdk("17");

    for (String command : List.of("sstable", "snapshot")) {
      List<String> words = run(Map.of(), command).output().lines().toList();
      assertEquals(
          List.of("-jar", jar.toRealPath().toString(), command),
          words.subList(words.size() - 3, words.size()));
    }
  }

  @Test
  void anArchiveIsMadeWithTheAccessThatCommandsHave() throws Exception {
    makeJdk("25");
    makeArchives();

    List<String> calls =
        calls("get", "x").lines().filter(line -> !line.endsWith("-version")).toList();

    assertEquals(3, calls.size(), calls.toString());
    for (String call : calls) {
      assertTrue(call.contains("--enable-native-access=ALL-UNNAMED"), calls.toString());
    }
  }

  @Test
  void theArchiveIsMadeOfTheClassesOfARunAndAgainAfterABuildOrForAnotherJava() throws Exception {
    makeJdk("17");
    makeArchives();
    String classes = "-XX:DumpLoadedClassList=";
    assertEquals(2, calls("get", "x").lines().filter(line -> line.contains(".jsa.")).count());
    assertEquals("archived\n", Files.readString(jar.resolveSibling("colonnade-17.jsa")));
    assertFalse(calls("get", "x").contains(classes), "it is there");

    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(5)));
    assertTrue(calls("get", "x").contains(classes), "the jar is newer");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minusSeconds(60)));
    makeJdk("21");
    makeArchives();
    assertTrue(calls("get", "x").contains(classes), "of another Java");
    try (Stream<Path> files = Files.list(jar.getParent())) {
      assertEquals(
          List.of("colonnade-17.jsa", "colonnade-21.jsa", "colonnade.jar"),
          files.map(file -> file.getFileName().toString()).sorted().toList());
    }
  }

  /** A shell that is open has the archive in its memory; a shorter file below it would kill it. */
  @Test
  void anArchiveThatCannotBeMadeAgainLeavesTheOneInUseAsItIs() throws Exception {
    makeJdk("17");
    Path archive = jar.resolveSibling("colonnade-17.jsa");
    Files.writeString(archive, "an archive");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(5)));
    try (InputStream inUse = Files.newInputStream(archive)) {
      Run run = run(Map.of(), "get", "x");

      assertEquals(0, run.status(), run.output());
      assertEquals("an archive", new String(inUse.readAllBytes(), StandardCharsets.UTF_8));
    }
    assertEquals(0, Files.size(archive));
  }

  @Test
  void anArchiveThatCouldNotBeMadeIsTriedAgainLater() throws Exception {
    makeJdk("17");
    makeArchives();
    Path archive = Files.createFile(jar.resolveSibling("colonnade-17.jsa"));
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minusSeconds(3_600)));
    String classes = "-XX:DumpLoadedClassList=";
    assertFalse(calls("get", "x").contains(classes), "just now");

    Files.setLastModifiedTime(archive, FileTime.from(Instant.now().minusSeconds(900)));

    assertTrue(calls("get", "x").contains(classes), "a quarter of an hour later");
    assertEquals("archived\n", Files.readString(archive));
  }

  /** A fake Java that archives classes, and notes each of its calls in a line. */
  private void makeArchives() throws IOException {
    Path java = jdk.resolve("bin/java");
    String body = Files.readString(java).replace("#!/bin/sh\n", "");
    script(
        java,
        """
        echo "$*" >> "%s"
        for word in "$@"; do
          case $word in
            -XX:DumpLoadedClassList=*) echo classes > "${word#*=}" ;;
            -Xshare:dump) dump=yes ;;
            -XX:SharedArchiveFile=*) [ -z "${dump:-}" ] || echo archived > "${word#*=}" ;;
          esac
        done
        """
                .formatted(temporary.resolve("calls"))
            + body);
  }

  private String calls(String... arguments) throws Exception {
    Path file = temporary.resolve("calls");
    Files.deleteIfExists(file);
    Run run = run(Map.of(), arguments);
    assertEquals(0, run.status(), run.output());
    return Files.readString(file);
  }

  @Test
  void aRuntimeWithoutACompilerServesClientsAndRefusesNodesAndBuilds() throws Exception {
    makeJdk("17");
    Files.delete(jdk.resolve("bin/javac"));

    Run client = run(Map.of(), "get", "Authors['a b']");
    assertEquals(0, client.status(), client.output());
    assertTrue(client.output().lines().toList().contains("Authors['a b']"), client.output());
    assertEquals(0, run(Map.of(), "conf", "check").status());

    for (String node : List.of("server", "cluster", "demo", "bench")) {
      Run refused = run(Map.of(), node);
      assertEquals(1, refused.status());
      assertTrue(refused.output().contains("a node needs a full JDK"), refused.output());
    }
    Files.delete(jar);
    Run build = run(Map.of(), "get");
    assertEquals(1, build.status());
    assertTrue(build.output().contains("building needs a full JDK"), build.output());
  }

  @Test
  void worksThroughASymbolicLink() throws Exception {
    makeJdk("17");
    launcher = Files.createSymbolicLink(temporary.resolve("link"), launcher);

    Run run = run(Map.of(), "--version");

    assertTrue(run.output().contains(jar.toRealPath().toString()), run.output());
  }

  @Test
  void theJdkSaysItsVersionInAFileSoThatJavaIsStartedOnce() throws Exception {
    makeJdk("11");
    Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"17.0.1\"\n");

    Run run = run(Map.of(), "get", "Authors['a b']");

    assertEquals(0, run.status(), run.output());
    assertTrue(run.output().lines().toList().contains("Authors['a b']"), run.output());
  }

  @Test
  void messagesHearHowTheCommandWasTyped() throws Exception {
    makeJdk("17");

    for (String command : List.of("get", "server")) {
      List<String> words = run(Map.of(), command).output().lines().toList();
      assertTrue(words.contains("-Dcolonnade.command=" + launcher), words.toString());
    }
    String path = launcher.getParent() + ":" + System.getenv("PATH");
    List<String> words = run(Map.of("PATH", path), "get").output().lines().toList();
    assertTrue(words.contains("-Dcolonnade.command=colonnade"), words.toString());
  }

  @Test
  void javaThatIsTooOldIsRefusedWithAWayOut() throws Exception {
    makeJdk("11");

    Run run = run(Map.of(), "demo");

    assertEquals(1, run.status());
    assertTrue(run.output().contains("is Java 11; Colonnade needs a JDK 17"), run.output());
  }

  @Test
  void javaHomeWithoutJavaIsRefused() throws Exception {
    Run run = run(Map.of(), "demo");

    assertEquals(1, run.status());
    assertTrue(run.output().contains("there is no bin/java in it"), run.output());
  }

  /**
   * A fake Java that prints its settings when asked for them, and otherwise its arguments, one per
   * line.
   */
  private void makeJdk(String version) throws IOException {
    Path bin = Files.createDirectories(jdk.resolve("bin"));
    script(
        bin.resolve("java"),
        """
        if [ "$1" = -XshowSettings:properties ]; then
          echo "    java.specification.version = %s" >&2
          echo "    java.home = %s" >&2
        else
          printf '%%s\\n' "$@"
        fi
        """
            .formatted(version, jdk));
    script(bin.resolve("javac"), "");
  }

  private static void script(Path file, String body) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + body);
    assertTrue(file.toFile().setExecutable(true));
  }

  private Run run(Map<String, String> environment, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeAll(List.of("COLONNADE_HEAP", "JAVA_OPTS"));
    builder.environment().put("JAVA_HOME", jdk.toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), output);
  }
}
