package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.AddressSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code cli/src/dist/package}, with a file instead of the jar, and what it packs. */
@Timeout(60)
@EnabledOnOs(value = OS.LINUX, disabledReason = "packages are made with GNU tar")
final class PackageTest {

  private static final Path DIST = Path.of("src/dist");

  @TempDir private Path temporary;

  private String run(Map<String, String> environment, String... command) throws Exception {
    Path output = Files.createTempFile(temporary, "run", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().keySet().removeAll(List.of("COLONNADE_HEAP", "JAVA_OPTS"));
    builder.environment().putAll(environment);
    int status = builder.start().waitFor();
    String text = Files.readString(output, StandardCharsets.UTF_8);
    assertEquals(0, status, text);
    return text;
  }

  private Path make(String folder, String umask) throws Exception {
    Path jar = Files.writeString(temporary.resolve(folder + ".jar"), "a jar");
    Files.writeString(temporary.resolve("bom.json"), "its parts");
    Files.writeString(temporary.resolve("THIRD-PARTY.txt"), "their licences");
    Path out = temporary.resolve(folder);
    String unused =
        run(
            Map.of(),
            "bash",
            "-c",
            "umask "
                + umask
                + "; src/dist/package --jar '"
                + jar
                + "' --version 9.9 --out '"
                + out
                + "'");
    return out;
  }

  @Test
  void theSameInputGivesTheSameBytesAndAnInstallationIsNotWrittenTo() throws Exception {
    Path one = make("one", "022");
    Path two = make("two", "077");
    List<String> sums = Files.readAllLines(one.resolve("SHA256SUMS"));
    assertTrue(
        sums.stream().anyMatch(line -> line.endsWith("colonnade-9.9.tar.gz")), sums::toString);
    for (String line : sums) {
      String name = line.replaceFirst("^\\S+\\s+", "");
      assertArrayEquals(
          Files.readAllBytes(one.resolve(name)), Files.readAllBytes(two.resolve(name)), name);
    }
    Path archive = one.resolve("colonnade-9.9.tar.gz");
    String unpacked = run(Map.of(), "tar", "-xzf", archive.toString(), "-C", temporary.toString());
    assertEquals("", unpacked);
    Path home = temporary.resolve("colonnade-9.9").toRealPath();
    Path java = Files.createDirectories(temporary.resolve("jdk/bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    Files.writeString(java.resolveSibling("javac"), "");
    Files.writeString(temporary.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
    assertTrue(
        java.toFile().setExecutable(true)
            && java.resolveSibling("javac").toFile().setExecutable(true));
    assertEquals("its parts", Files.readString(home.resolve("lib/bom.json")));
    assertEquals("their licences", Files.readString(home.resolve("lib/THIRD-PARTY.txt")));
    List<String> before = files(home);
    String unused = run(Map.of(), "chmod", "-R", "a-w", home.toString());
    Map<String, String> environment = Map.of("JAVA_HOME", temporary.resolve("jdk").toString());
    List<String> words =
        run(environment, home.resolve("colonnade").toString(), "server").lines().toList();
    assertTrue(words.contains(home.resolve("lib/colonnade.jar").toString()), words::toString);
    assertTrue(words.contains("@" + home.resolve("conf/jvm.options")), words::toString);
    String shell = run(environment, home.resolve("colonnade").toString(), "get");
    assertTrue(shell.contains(home.resolve("lib/colonnade.jar").toString()), shell);
    assertEquals(before, files(home));
    unused = run(Map.of(), "chmod", "-R", "u+w", home.toString());
  }

  private static List<String> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.map(Path::toString).sorted().toList();
    }
  }

  /** Java itself says which of the options it does not know. */
  @Test
  void javaTakesTheOptionsOfTheFileAndEachIsExplained() throws Exception {
    Path options = DIST.resolve("conf/jvm.options");
    List<String> lines = Files.readAllLines(options);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String option = lines.get(i).replaceFirst("^# (?=-)", "");
      if (option.startsWith("-")) {
        all.add(option);
        assertTrue(lines.get(i - 1).startsWith("# "), () -> option + " is not explained");
      }
    }
    List<String> command =
        new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
    command.add("@" + options);
    command.addAll(all);
    command.add("-version");
    assertTrue(
        run(Map.of(), command.toArray(String[]::new)).contains("version"), command::toString);
    assertEquals(4, all.size());
  }

  /** A variable that no setting has stops the start. */
  @Test
  void theFilesOfTheServiceNameSettingsThatExist() throws Exception {
    String declared = Files.readString(Path.of("../docs/settings.md"));
    Matcher variable =
        Pattern.compile("^COLONNADE_SERVER_([A-Z_]+)=", Pattern.MULTILINE)
            .matcher(Files.readString(DIST.resolve("conf/colonnade.env")));
    int named = 0;
    while (variable.find()) {
      String setting = variable.group(1).toLowerCase(java.util.Locale.ROOT);
      assertTrue(setting.equals("data") || declared.contains("| `" + setting + "` |"), setting);
      named++;
    }
    assertEquals(4, named);
    String unit = Files.readString(DIST.resolve("systemd/colonnade.service"));
    for (String line :
        List.of(
            "User=colonnade",
            "NoNewPrivileges=true",
            "ProtectSystem=strict",
            "CapabilityBoundingSet=",
            "RestartPreventExitStatus=2",
            "StateDirectory=colonnade")) {
      assertTrue(unit.lines().anyMatch(line::equals), line);
    }
    String container = Files.readString(DIST.resolve("container/Containerfile"));
    assertTrue(container.contains("\nUSER 990:990\n"), container);
  }

  /** No test builds an image; what its files say of the installation and of nodes is so. */
  @Test
  void theFilesOfContainersFitTheInstallationAndTheNode() throws Exception {
    String image = Files.readString(DIST.resolve("container/Containerfile"));
    assertTrue(image.contains("\nCOPY . /usr/share/colonnade\n"), image);
    assertTrue(image.contains("\nENTRYPOINT [\"/usr/share/colonnade/colonnade\"]\n"), image);
    String ports =
        Stream.of(AddressSettings.CLIENT_PORT, AddressSettings.PEER_PORT, AddressSettings.HTTP_PORT)
            .map(port -> port.defaultValue().toString())
            .collect(Collectors.joining(" "));
    assertTrue(image.contains("\nEXPOSE " + ports + "\n"), image);
    String compose = Files.readString(DIST.resolve("container/compose.yaml"));
    Matcher service =
        Pattern.compile("(?m)^  (\\w+):\\n    <<: \\*node\\n    command: \\[(.*)]$")
            .matcher(compose);
    List<String> services = new ArrayList<>();
    while (service.find()) {
      services.add(service.group(1));
      String[] command = service.group(2).split(", ");
      String parsed =
          Colonnade.commandLine(command).parseArgs(command).subcommand().commandSpec().name();
      assertEquals("server", parsed);
      assertEquals(service.group(1), command[2], "--listen");
      assertEquals(services.get(0), command[4], "--seeds");
      String volume = "\n    volumes: [" + service.group(1) + ":/var/lib/colonnade]";
      assertTrue(compose.contains(volume), volume);
    }
    assertEquals(List.of("node1", "node2", "node3"), services);
  }
}
