package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The offline tools on the files of a real node that was stopped, as an operator uses them. */
@Timeout(120)
final class SSTableCommandTest {

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private String data = "";

  @Test
  void filesOfAStoppedNodeAreCheckedExportedAndImported() throws Exception {
    data = directory.resolve("node").toString();
    try (Node node = start()) {
      fill(node);
      assertEquals(2, execute("sstable", "verify", data));
      assertTrue(
          err.toString().contains("a node runs on " + Path.of(data, "data")), err.toString());
      assertEquals(2, execute("sstable", "verify", fileOf("Users", "Data.db").toString()));
    }
    assertTrue(run("sstable", "verify", data).endsWith(" checked: nothing is wrong\n"));
    figuresAndRowsAreShown();
    whatIsExportedIsImportedIntoAnotherFamily();
    theNodeServesWhatWasImported();
    damageOfEachComponentIsNamed();
  }

  private void figuresAndRowsAreShown() {
    String dump = run("sstable", "dump", data, "--family", "K.Users");
    assertTrue(dump.contains("  name = \"Ann\", timestamp 7"), dump);
    assertTrue(dump.contains("  town deleted at "), dump);
    assertTrue(dump.contains(", ttl 86400 s, timestamp 8"), dump);
    assertTrue(dump.contains("  all deleted at "), dump);
    assertTrue(run("sstable", "dump", data, "--family", "Users", "--key", "nobody").contains("no"));
    String index = run("sstable", "index", data, "--family", "Users");
    assertTrue(index.contains(": 3 rows; index of 1 level, "), index);
    String filter = run("sstable", "filter", data, "--family", "Users", "-o", "json");
    assertTrue(filter.contains("\"rows\":\"3\",\"bits\":\"512\""), filter);
    String verified = run("sstable", "verify", data, "-o", "json");
    assertTrue(verified.contains("\"family\":\"K.Users\",\"standing\":\"live\""), verified);
    assertTrue(verified.endsWith("\"problems\":\"0\"}}\n"), verified);
    assertEquals(2, execute("sstable", "dump", data));
    assertTrue(err.toString().contains("K.OtherUsers, K.Users"), err.toString());
  }

  private void whatIsExportedIsImportedIntoAnotherFamily() throws IOException {
    for (String family : List.of("Users", "Friends")) {
      Path rows = directory.resolve(family + ".rows");
      String printed = run("sstable", "export", data, "--family", "K." + family);
      run("sstable", "export", data, "--family", family, "--to", rows.toString());
      assertEquals(printed.replace(System.lineSeparator(), "\n"), Files.readString(rows));
      assertEquals(
          2, execute("sstable", "export", data, "--family", family, "--to", rows.toString()));
      run("sstable", "import", rows.toString(), "--to", data, "--family", "K.Other" + family);
      String again = run("sstable", "export", data, "--family", "K.Other" + family);
      assertEquals(withoutHeading(printed), withoutHeading(again));
    }
    Path rows = directory.resolve("Users.rows");
    assertEquals(
        2, execute("sstable", "import", rows.toString(), "--to", data, "--family", "K.Friends"));
    assertTrue(err.toString().contains("line 1: the rows have the subcomparator"), err::toString);
    Path cut = directory.resolve("cut.rows");
    String text = Files.readString(rows);
    Files.writeString(cut, text.substring(0, text.length() - 9));
    long before = files();
    assertEquals(
        2, execute("sstable", "import", cut.toString(), "--to", data, "--family", "K.Users"));
    assertTrue(err.toString().contains("line 4: it is not JSON"), err::toString);
    assertEquals(before, files(), "nothing is left of an import that failed");
    assertEquals(1, Files.readString(rows).indexOf("\"colonnade_rows\":1"));
  }

  private void theNodeServesWhatWasImported() throws Exception {
    try (Node node = start()) {
      String rows =
          shell(
              node,
              "use K; get OtherUsers['ann']['name']; get OtherUsers['ann'];"
                  + " get OtherFriends['ann']['bob']['since']; count OtherUsers['gone']");
      assertTrue(rows.contains("value=Ann, timestamp=7"), rows);
      assertFalse(rows.contains("town"), rows);
      assertTrue(rows.contains("value=2009"), rows);
      assertTrue(rows.contains("0 columns"), rows);
    }
  }

  private void damageOfEachComponentIsNamed() throws IOException {
    for (String component : List.of("Data.db", "Index.db", "Filter.db", "Meta.db")) {
      Path file = fileOf("Users", component);
      byte[] sound = Files.readAllBytes(file);
      byte[] damaged = sound.clone();
      damaged[damaged.length / 2] ^= 4;
      Files.write(file, damaged);
      assertEquals(1, execute("sstable", "verify", data), component);
      assertTrue(out.toString().startsWith(file + ": at byte "), out.toString());
      assertTrue(out.toString().endsWith(": 1 problems\n"), out.toString());
      assertEquals(damaged.length, Files.size(file));
      Files.write(file, sound);
    }
    Path manifest = Path.of(data, "data", "MANIFEST");
    byte[] sound = Files.readAllBytes(manifest);
    byte[] damaged = sound.clone();
    damaged[20] ^= 4;
    Files.write(manifest, damaged);
    assertEquals(1, execute("sstable", "verify", data));
    assertTrue(out.toString().startsWith(manifest + ": at byte "), out.toString());
    Files.write(manifest, sound);
    Path rows = fileOf("Users", "Data.db");
    Files.move(rows, directory.resolve("away"));
    assertEquals(1, execute("sstable", "verify", data));
    assertTrue(out.toString().contains("missing"), out.toString());
    assertEquals(1, execute("sstable", "export", data, "--family", "Users"));
    assertTrue(err.toString().contains(rows.toString()), err.toString());
    Files.move(directory.resolve("away"), rows);
    assertEquals(0, execute("sstable", "verify", data), out::toString);
  }

  @Test
  void aDirectoryOfDataFilesNeedsNoNode() throws Exception {
    Path rows = directory.resolve("some.rows");
    Files.writeString(
        rows,
        """
        {"colonnade_rows":1,"family_id":"00000000000000010000000000000002",\
        "partitioner":"OrderPreservingPartitioner","comparator":"UTF8Type"}
        {"key":"a","columns":[{"name":"n","value":{"base64":"/w=="},"timestamp":1}]}
        {"key":"b","columns":[{"name":"n","value":"v","timestamp":"2"}]}
        """);
    String files = directory.resolve("files").toString();
    run("sstable", "import", rows.toString(), "--to", files);
    run("sstable", "import", rows.toString(), "--to", files);
    assertTrue(run("sstable", "verify", files).startsWith("2 files, 4 rows"), out.toString());
    String second = Path.of(files, "000000000002-Data.db").toString();
    assertTrue(run("sstable", "export", second).contains("{\"base64\":\"/w==\"}"));
    assertEquals(3, run("sstable", "export", files).lines().count());
    Files.writeString(
        rows,
        Files.readString(rows)
            + "{\"key\":\"a\",\"columns\":[{\"name\":\"n\",\"value\":\"v\",\"timestamp\":1}]}\n");
    assertEquals(2, execute("sstable", "import", rows.toString(), "--to", files));
    assertTrue(err.toString().contains("line 4: row 61 comes after row 62"), err.toString());
    assertEquals(2, execute("sstable", "verify", directory.resolve("nothing").toString()));
    assertEquals(2, execute("sstable", "verify", rows.toString()));
    assertTrue(err.toString().contains("is no data file"), err.toString());
  }

  private void fill(Node node) {
    shell(
        node,
        "create keyspace K; use K;"
            + " create column family Users with comparator = UTF8Type;"
            + " create column family OtherUsers with comparator = UTF8Type;"
            + " create column family Friends with column_type = Super and comparator = UTF8Type"
            + " and subcomparator = UTF8Type;"
            + " create column family OtherFriends with column_type = Super and comparator ="
            + " UTF8Type and subcomparator = UTF8Type;"
            + " set Users['ann']['name'] = 'Ann' with timestamp = 7;"
            + " set Users['ann']['bytes'] = 0xff00 with timestamp = 7;"
            + " set Users['ann']['soon'] = 'gone' with timestamp = 8 and ttl = 86400;"
            + " set Users['ann']['town'] = 'Aachen'; del Users['ann']['town'];"
            + " set Users['gone']['name'] = 'G'; del Users['gone'];"
            + " set Users['zoe']['name'] = 'Zoe';"
            + " set Friends['ann']['bob']['since'] = '2009'; set Friends['ann']['cyd']['x'] = 'y';"
            + " del Friends['ann']['cyd']; flush;");
  }

  private String shell(Node node, String statements) {
    return run("shell", "--port", "" + node.clientPort(), "-e", statements);
  }

  private Node start() throws Exception {
    return Node.start(NodeOptions.defaults().withDataDirectory(Path.of(data)).withFreePorts());
  }

  private Path fileOf(String family, String component) throws IOException {
    try (Stream<Path> all = Files.walk(Path.of(data, "data", "keyspaces", "K"))) {
      return all.filter(
              file ->
                  file.toString().contains(File.separator + family + "-")
                      && file.toString().endsWith("-" + component))
          .findFirst()
          .orElseThrow(() -> new UncheckedIOException(new IOException("no " + component)));
    }
  }

  private long files() throws IOException {
    try (Stream<Path> all = Files.walk(Path.of(data, "data", "keyspaces", "K"))) {
      return all.count();
    }
  }

  private static String withoutHeading(String lines) {
    return lines.substring(lines.indexOf('\n'));
  }

  private String run(String... arguments) {
    assertEquals(0, execute(arguments), () -> out + "" + err);
    return out.toString();
  }

  private int execute(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Colonnade.commandLine(arguments)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
