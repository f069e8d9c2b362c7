package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.LocalNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a short command loads: most of its time is the loading of classes and the linking of call
 * sites, so that one class too many can cost more than the call.
 */
@Timeout(120)
final class StartupClassesTest {

  /** The first word of a line is the time, the second the class. */
  private static final Pattern LOADED = Pattern.compile("\\S+ (\\S+) source: .*");

  /** Classes of this module and of the client library that have a file. */
  private static final Pattern OURS = Pattern.compile("dev\\.colonnade\\.(cli|client)\\.[^/]+");

  /** Where Java joins strings at call sites that it links at their first use. */
  private static final String LINKED_JOIN = "makeConcatWithConstants";

  private static final boolean IS_NEWER_JAVA = Runtime.version().feature() > 17;

  @TempDir private Path temporary;

  @Test
  void aReadOfOneColumnLoadsNothingOfOtherCommandsAndNoSlowPartOfJava() throws Exception {
    Set<String> loaded;
    try (LocalNode node = LocalNode.start(temporary.resolve("data"))) {
      String port = Integer.toString(node.port());
      run("create", "keyspace K", "--port", port);
      run("create", "column family F with comparator = UTF8Type", "-k", "K", "--port", port);
      run("set", "K.F['a']['b'] = 'c'", "--port", port);

      loaded = loaded("get", "K.F['a']['b']", "--port", port);
    }

    assertTrue(loaded.contains("dev.colonnade.cli.shell.VerbCommand"), "this is what runs");
    for (String slow :
        List.of(
            // Random bits, and the providers that make them.
            "java.security.SecureRandom",
            // equals, hashCode and toString of records, which are linked at their first use.
            "java.lang.runtime.ObjectMethods",
            // A session, which one call does not repay.
            "dev.colonnade.v1.SessionLimits",
            "dev.colonnade.cli.shell.ShellCommand",
            "ch.qos.logback.classic.Logger")) {
      assertFalse(loaded.contains(slow), slow);
    }
    // What threads of gRPC are named with; newer Javas load it for each number in a format.
    assertTrue(IS_NEWER_JAVA || !loaded.contains("java.text.DecimalFormatSymbols"));
    for (String others :
        List.of(
            "dev.colonnade.server.",
            "dev.colonnade.cli.admin.",
            "dev.colonnade.cli.demo.",
            "dev.colonnade.cli.local.",
            "org.jline.")) {
      assertEquals(List.of(), loaded.stream().filter(name -> name.startsWith(others)).toList());
    }
    assertEquals(List.of(), thatJoinStringsByLinking(loaded));
  }

  @Test
  void theVersionComesWithoutTheCommandLineLibraryAndWithoutLambdas() throws Exception {
    Set<String> loaded = loaded("--version");

    assertTrue(loaded.contains("dev.colonnade.cli.Version"), "this is what runs");
    assertFalse(loaded.contains("picocli.CommandLine"), loaded.toString());
    // Newer Javas use one themselves to open a jar.
    assertTrue(
        IS_NEWER_JAVA || !loaded.contains("java.lang.invoke.InnerClassLambdaMetafactory"),
        "lambdas");
  }

  private static void run(String... arguments) {
    assertEquals(
        0, Colonnade.commandLine(arguments).execute(arguments), List.of(arguments)::toString);
  }

  /** The classes that a process of its own loads. */
  private Set<String> loaded(String... arguments) throws Exception {
    Path log = temporary.resolve("classes.txt");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:file=" + log + ":uptime",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dio.grpc.netty.shaded.io.netty.transport.noNative=true",
                "-Dio.grpc.netty.shaded.io.netty.jfr.enabled=false",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.colonnade.cli.Colonnade"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // A level for the log starts logback, and Java's own options may load anything.
    builder.environment().keySet().removeAll(List.of("COLONNADE_LOG_LEVEL", "JAVA_TOOL_OPTIONS"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    Set<String> names = new TreeSet<>();
    for (String line : Files.readAllLines(log)) {
      Matcher matcher = LOADED.matcher(line);
      if (matcher.matches()) {
        names.add(matcher.group(1));
      }
    }
    return names;
  }

  private static List<String> thatJoinStringsByLinking(Set<String> loaded) throws IOException {
    List<String> found = new ArrayList<>();
    for (String name : loaded) {
      if (OURS.matcher(name).matches()) {
        String file = "/" + name.replace('.', '/') + ".class";
        try (InputStream bytes = StartupClassesTest.class.getResourceAsStream(file)) {
          assertNotNull(bytes, file);
          String content = new String(bytes.readAllBytes(), StandardCharsets.ISO_8859_1);
          if (content.contains(LINKED_JOIN)) {
            found.add(name);
          }
        }
      }
    }
    return found;
  }
}
