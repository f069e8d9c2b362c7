package dev.colonnade.it.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.client.Colonnade;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Java of a page, compiled and run. A program is taken as it stands; lines of one get the imports
 * that the page takes for granted and a variable {@code client}.
 */
final class JavaSnippet {

  private static final Pattern PROGRAM = Pattern.compile("public (?:final )?class (\\w+)");

  private final Path folder;

  JavaSnippet(Path folder) {
    this.folder = folder;
  }

  /** What it prints to standard output. */
  String run(String text, String address) throws IOException, ReflectiveOperationException {
    Matcher program = PROGRAM.matcher(text);
    boolean whole = program.find();
    String name = whole ? program.group(1) : "Snippet";
    Path place = Files.createTempDirectory(folder, "java-");
    Files.writeString(place.resolve(name + ".java"), whole ? text : wrapped(text));
    compile(place, name);
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader =
            new URLClassLoader(
                new URL[] {place.toUri().toURL()}, JavaSnippet.class.getClassLoader());
        Colonnade client = Colonnade.connect(address)) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      Class<?> type = loader.loadClass(name);
      if (whole) {
        type.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
      } else {
        type.getMethod("run", Colonnade.class).invoke(null, client);
      }
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  private static String wrapped(String text) {
    return """
    import dev.colonnade.client.*;
    import java.nio.file.*;
    import java.time.*;
    import java.util.*;
    import java.util.concurrent.*;
    public class Snippet {
      public static void run(Colonnade client) throws Exception {
    %s
      }
    }
    """
        .formatted(text);
  }

  private static void compile(Path place, String name) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of("-cp", System.getProperty("java.class.path"), "-d", place.toString());
    boolean compiled =
        compiler
            .getTask(
                messages,
                null,
                null,
                options,
                null,
                compiler
                    .getStandardFileManager(null, null, StandardCharsets.UTF_8)
                    .getJavaFileObjects(place.resolve(name + ".java")))
            .call();
    assertEquals("", compiled ? "" : messages.toString(), "the Java does not compile");
  }
}
