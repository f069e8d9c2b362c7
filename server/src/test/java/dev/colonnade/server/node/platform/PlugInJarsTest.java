package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.ring.Partitioner;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A comparator that a user compiled against the published interface, from its jar to its order. */
class PlugInJarsTest {

  private static final String BODY =
      """
        public void validate(byte[] name) {}
        public String display(byte[] name) { return new String(name); }
        public byte[] parse(String text) { return text.getBytes(); }
      }
      """;

  private static final Map<String, String> SOURCES =
      Map.of(
          "AnyCase",
          """
          package com.example;
          public final class AnyCase implements dev.colonnade.server.base.model.ColumnComparator {
            public String typeName() { return "com.example.AnyCase"; }
            public int compare(byte[] a, byte[] b) {
              return new String(a).compareToIgnoreCase(new String(b));
            }
          """
              + BODY,
          "Contrary",
          """
          package com.example;
          public final class Contrary implements dev.colonnade.server.base.model.ColumnComparator {
            public String typeName() { return "com.example.Contrary"; }
            public int compare(byte[] a, byte[] b) { return 1; }
          """
              + BODY,
          "Masked",
          """
          package com.example;
          public final class Masked implements dev.colonnade.server.base.model.ColumnComparator {
            public String typeName() { return "Masked"; }
            public int compare(byte[] a, byte[] b) { return 0; }
          """
              + BODY,
          "Closed",
          """
          package com.example;
          public final class Closed implements dev.colonnade.server.base.model.ColumnComparator {
            private Closed() {}
            public String typeName() { return "com.example.Closed"; }
            public int compare(byte[] a, byte[] b) { return 0; }
          """
              + BODY);

  @TempDir Path directory;

  private PlugInJars compiled() throws IOException {
    Path sources = Files.createDirectories(directory.resolve("src"));
    Path classes = Files.createDirectories(directory.resolve("classes"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    for (Map.Entry<String, String> source : SOURCES.entrySet()) {
      Path file = sources.resolve(source.getKey() + ".java");
      Files.writeString(file, source.getValue());
      int status =
          compiler.run(
              null,
              null,
              null,
              "-proc:none",
              "-cp",
              System.getProperty("java.class.path"),
              "-d",
              classes.toString(),
              file.toString());
      assertEquals(0, status, source.getKey());
    }
    Path folder = Files.createDirectories(directory.resolve("plugins"));
    Files.writeString(folder.resolve("notes.txt"), "not a jar");
    try (OutputStream out = Files.newOutputStream(folder.resolve("example.jar"));
        JarOutputStream jar = new JarOutputStream(out);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        jar.putNextEntry(new ZipEntry(classes.relativize(file).toString().replace('\\', '/')));
        Files.copy(file, jar);
        jar.closeEntry();
      }
    }
    return PlugInJars.open(folder);
  }

  @Test
  void aUsersComparatorOrdersAFamily() throws Exception {
    try (PlugInJars plugIns = compiled()) {
      Schema schema =
          Schema.empty(ComparatorResolver.with(plugIns))
              .createKeyspace(
                  KeyspaceDefinition.of("K")
                      .withFamily(FamilyDefinition.standard("", "Words", "com.example.AnyCase")),
                  new SeededRandom(1),
                  1)
              .after();
      ColumnFamily words = schema.requireFamily("K", "Words");
      ColumnComparator comparator = words.compareWith();
      assertEquals("com.example.AnyCase", comparator.typeName());
      assertEquals(0, comparator.compare(comparator.parse("Ab"), comparator.parse("aB")));
      assertTrue(comparator.compare(comparator.parse("a"), comparator.parse("B")) < 0);
    }
  }

  @Test
  void classesThatCannotBeComparatorsAreRefusedAtSchemaTime() throws Exception {
    try (PlugInJars plugIns = compiled()) {
      Schema schema = Schema.empty(ComparatorResolver.with(plugIns));
      Map<String, String> reasons =
          Map.of(
              "com.example.Missing", "no class com.example.Missing",
              "com.example.Contrary", "equal to itself",
              "com.example.Masked", "calls itself",
              "com.example.Closed", "no public constructor",
              "java.lang.Object", "not in a jar",
              "../../etc", "this name is not");
      for (Map.Entry<String, String> entry : reasons.entrySet()) {
        KeyspaceDefinition definition =
            KeyspaceDefinition.of("K")
                .withFamily(FamilyDefinition.standard("", "F", entry.getKey()));
        SchemaException refusal =
            assertThrows(
                SchemaException.class,
                () -> schema.createKeyspace(definition, new SeededRandom(1), 1));
        assertEquals("keyspace.column_families[0].compare_with", refusal.field());
        assertTrue(
            String.valueOf(refusal.getMessage()).contains(entry.getValue()), refusal.getMessage());
      }
    }
  }

  @Test
  void aComparatorIsNoPartitioner() throws Exception {
    try (PlugInJars plugIns = compiled()) {
      assertThrows(
          PlugInException.class, () -> plugIns.load("com.example.AnyCase", Partitioner.class));
    }
  }

  @Test
  void aFolderThatIsNotThereHasNoPlugIns() throws Exception {
    try (PlugInJars plugIns = PlugInJars.open(directory.resolve("nowhere"))) {
      assertEquals(List.of(), plugIns.jars());
      assertThrows(
          PlugInException.class, () -> plugIns.load("com.example.AnyCase", ColumnComparator.class));
    }
  }
}
