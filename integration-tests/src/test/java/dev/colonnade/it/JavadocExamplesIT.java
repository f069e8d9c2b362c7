package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every example in the client library's comments compiles and prints what it says. An example is
 * the body of a method that is handed a {@code client}; it finds the keyspace Blog with the empty
 * families Users, Timeline and Comments. Each line that it prints follows {@code // prints}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class JavadocExamplesIT {

  private static final Pattern EXAMPLE =
      Pattern.compile("<pre>\\{@code\\n(.*?)^ *\\* *\\}</pre>", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern MARGIN = Pattern.compile("^ *\\* ?", Pattern.MULTILINE);
  private static final Pattern PRINTED = Pattern.compile("// prints (.*)");
  private static final String DEFAULT_ADDRESS = "127.0.0.1:9160";

  private static final String IMPORTS =
      """
      import dev.colonnade.client.*;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.*;
      """;

  /** The first examples of the API. */
  private static final Set<String> EXPLAINED =
      Set.of(
          "AsyncCursor",
          "AsyncEntries",
          "Batch",
          "BulkWriter",
          "CallOptions",
          "ClientBuilder",
          "Cluster",
          "Colonnade",
          "ColumnFamily",
          "Cursor",
          "KeyRange",
          "Keyspace",
          "Node",
          "Schema",
          "Serializers",
          "Slice",
          "SuperColumnFamily",
          "TimeUuids");

  private record Example(String type, int number, String code) {

    String className() {
      return type + "Example" + number;
    }

    List<String> prints() {
      return PRINTED.matcher(code).results().map(line -> line.group(1)).toList();
    }

    String source(String address) {
      return IMPORTS
          + "public final class "
          + className()
          + " {\n  public static void run(Colonnade client, java.io.PrintStream out)"
          + " throws Exception {\n"
          + code.replace("System.out.", "out.").replace(DEFAULT_ADDRESS, address)
          + "  }\n}\n";
    }
  }

  private final Path folder;
  private final Node node;
  private final String address;
  private final Colonnade client;
  private final List<Example> examples;

  JavadocExamplesIT(@TempDir Path folder) throws NodeStartException, IOException {
    this.folder = folder;
    node =
        Node.start(
            NodeOptions.defaults().withDataDirectory(folder.resolve("data")).withFreePorts());
    address = node.clientAddress() + ":" + node.clientPort();
    client = Colonnade.connect(address);
    examples = examples();
  }

  @BeforeAll
  void compile() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Example example : examples) {
      Path source = folder.resolve(example.className() + ".java");
      Files.writeString(source, example.source(address));
      sources.add(source);
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter complaints = new StringWriter();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      boolean compiled =
          compiler
              .getTask(
                  complaints,
                  files,
                  null,
                  List.of(
                      "-proc:none",
                      "-d",
                      Files.createDirectory(folder.resolve("classes")).toString(),
                      "-cp",
                      System.getProperty("java.class.path")),
                  null,
                  files.getJavaFileObjectsFromPaths(sources))
              .call();
      assertTrue(compiled, complaints::toString);
    }
  }

  @AfterAll
  void stop() {
    client.close();
    node.close();
  }

  @TestFactory
  Stream<DynamicTest> examplesPrintWhatTheySay() {
    return examples.stream()
        .map(example -> DynamicTest.dynamicTest(example.className(), () -> run(example)));
  }

  @Test
  void theMainTypesHaveExamplesThatPrint() {
    Set<String> types = new TreeSet<>();
    for (Example example : examples) {
      types.add(example.type());
      assertTrue(!example.prints().isEmpty(), example.className() + " claims nothing");
    }
    assertTrue(types.containsAll(EXPLAINED), () -> "only these have examples: " + types);
  }

  private void run(Example example) throws IOException, ReflectiveOperationException {
    client
        .schema()
        .create(
            KeyspaceDefinition.named("Blog")
                .with(ColumnFamilyDefinition.standard("Users", Comparators.UTF8))
                .with(ColumnFamilyDefinition.standard("Timeline", Comparators.LONG))
                .with(
                    ColumnFamilyDefinition.superFamily(
                        "Comments", Comparators.TIME_UUID, Comparators.UTF8)));
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    URL classes = folder.resolve("classes").toUri().toURL();
    try (URLClassLoader loader =
            new URLClassLoader(new URL[] {classes}, JavadocExamplesIT.class.getClassLoader());
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      Method run =
          loader
              .loadClass(example.className())
              .getMethod("run", Colonnade.class, PrintStream.class);
      run.invoke(null, client, out);
    } catch (InvocationTargetException e) {
      throw new AssertionError(example.className() + " fails:\n" + example.code(), e.getCause());
    } finally {
      client.schema().dropKeyspace("Blog");
    }
    assertEquals(example.prints(), printed.toString(StandardCharsets.UTF_8).lines().toList());
  }

  private static List<Example> examples() throws IOException {
    Path sources =
        Path.of(System.getProperty("colonnade.home", ".."))
            .resolve("client-java/src/main/java/dev/colonnade/client");
    List<Example> examples = new ArrayList<>();
    try (Stream<Path> files = Files.list(sources)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        String type = file.getFileName().toString().replace(".java", "");
        Matcher found = EXAMPLE.matcher(Files.readString(file));
        for (int number = 1; found.find(); number++) {
          examples.add(new Example(type, number, MARGIN.matcher(found.group(1)).replaceAll("")));
        }
      }
    }
    return examples;
  }
}
