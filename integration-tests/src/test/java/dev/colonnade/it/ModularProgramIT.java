package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires.Modifier;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program with modules, on the jars that a user of the client library has: it says what it
 * requires, and nothing else is needed to compile and to start it.
 */
@Timeout(120)
final class ModularProgramIT {

  private static final Pattern CLIENT_JAR =
      Pattern.compile("colonnade-client-[0-9.]+(-SNAPSHOT)?[.]jar");

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String DESCRIPTOR = "module program { requires dev.colonnade.client; }\n";

  private static final String PROGRAM =
      """
      package program;

      import dev.colonnade.client.Colonnade;
      import dev.colonnade.client.ColumnFamily;
      import dev.colonnade.client.Serializers;

      final class Program {
        public static void main(String[] arguments) {
          try (Colonnade colonnade = Colonnade.connect(arguments[0])) {
            ColumnFamily<String, String, String> users =
                colonnade
                    .keyspace("Blog")
                    .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
            users.insert("jsmith", "city", "Tulsa");
            System.out.println(Program.class.getModule() + " " + users.get("jsmith", "city"));
          }
        }
      }
      """;

  private final Path folder;
  private final Path clientJar;
  private final String modulePath;

  ModularProgramIT(@TempDir Path folder) throws IOException {
    this.folder = folder;
    Path target = Path.of(System.getProperty("colonnade.home", "..")).resolve("client-java/target");
    try (Stream<Path> files = Files.list(target)) {
      clientJar =
          files
              .filter(file -> CLIENT_JAR.matcher(file.getFileName().toString()).matches())
              .findFirst()
              .orElseThrow();
    }
    modulePath =
        clientJar
            + File.pathSeparator
            + Files.readString(target.resolve("runtime.classpath"), StandardCharsets.UTF_8).strip();
  }

  @BeforeEach
  void compile() throws IOException {
    Path descriptor = Files.writeString(folder.resolve("module-info.java"), DESCRIPTOR);
    Path packageFolder = Files.createDirectory(folder.resolve("program"));
    Path program = Files.writeString(packageFolder.resolve("Program.java"), PROGRAM);
    assertEquals(
        "",
        output(
            tool("javac"),
            "-Xlint:all",
            "-Werror",
            "--module-path",
            modulePath,
            "-d",
            folder.resolve("classes").toString(),
            descriptor.toString(),
            program.toString()));
  }

  @Test
  void startsAndMakesCalls() throws Exception {
    NodeOptions options =
        NodeOptions.defaults().withDataDirectory(folder.resolve("data")).withFreePorts();
    try (Node node = Node.start(options)) {
      String address = node.clientAddress() + ":" + node.clientPort();
      try (Colonnade client = Colonnade.connect(address)) {
        client
            .schema()
            .create(
                KeyspaceDefinition.named("Blog")
                    .with(ColumnFamilyDefinition.standard("Users", Comparators.UTF8)));
      }
      String printed =
          output(
              tool("java"),
              "--module-path",
              modulePath + File.pathSeparator + folder.resolve("classes"),
              "--module",
              "program/program.Program",
              address);
      assertTrue(printed.contains("module program Optional[Tulsa]"), printed);
    }
  }

  /** The packages of the API, and no names that come from the names of files. */
  @Test
  void theDescriptorSaysWhatTheLibraryIs() {
    ModuleDescriptor client = descriptor("dev.colonnade.client", clientJar);
    assertFalse(client.isAutomatic(), "there is no descriptor");
    assertEquals(
        Set.of("dev.colonnade.client", "dev.colonnade.client.micrometer"),
        client.exports().stream()
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet()));
    assertEquals(Set.of(), client.opens());
    List<String> missing =
        client.requires().stream()
            .filter(required -> !required.modifiers().contains(Modifier.STATIC))
            .map(ModuleDescriptor.Requires::name)
            .filter(name -> !name.startsWith("java.") && !name.startsWith("jdk."))
            .filter(name -> ModuleFinder.of(paths()).find(name).isEmpty())
            .toList();
    assertEquals(List.of(), missing);
  }

  private static ModuleDescriptor descriptor(String name, Path jar) {
    return ModuleFinder.of(jar).find(name).orElseThrow().descriptor();
  }

  private Path[] paths() {
    return Arrays.stream(modulePath.split(File.pathSeparator)).map(Path::of).toArray(Path[]::new);
  }

  private static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  /** What a command prints, which ends well within the limit. */
  private String output(String... command) throws IOException {
    Path printed = Files.createTempFile(folder, "printed", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    boolean ended = ChildJvm.exited(process, LIMIT);
    process.destroyForcibly();
    String text = Files.readString(printed, StandardCharsets.UTF_8);
    assertTrue(ended, () -> "it does not end: " + text);
    assertEquals(0, process.exitValue(), text);
    return text;
  }
}
