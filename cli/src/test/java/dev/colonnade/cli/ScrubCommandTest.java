package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is sound of damaged files of a real node is salvaged and served again. */
@Timeout(120)
final class ScrubCommandTest {

  private static final int ROWS = 300;

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private String data = "";
  private long salvagedRows;

  @Test
  void theSoundRowsOfADamagedFileAreServedAgain() throws Exception {
    data = directory.resolve("node").toString();
    try (Node node = start()) {
      fill(node);
      assertEquals(2, execute("sstable", "scrub", data, "--replace"));
      assertTrue(err.toString().contains("a node runs on "), err.toString());
    }
    assertEquals(
        "", run("sstable", "scrub", data, "--replace").replaceAll("\\d+ files looked.*\\n", ""));
    badOptionsAreRefused();
    byte[] damaged = damage();
    intoAnotherDirectory();
    notWithoutAcceptance(damaged);
    inPlace();
    try (Node node = start()) {
      String all = shell(node, "use K; list Users limit 1000");
      assertEquals(salvagedRows, all.split("x{150}", -1).length - 1, all);
    }
    assertEquals(0, execute("sstable", "verify", data), out::toString);
  }

  private void badOptionsAreRefused() {
    assertEquals(2, execute("sstable", "scrub", data));
    String into = directory.resolve("x").toString();
    assertEquals(2, execute("sstable", "scrub", data, "--into", into, "--replace"));
    assertEquals(2, execute("sstable", "scrub", data, "--into", into, "--accept-loss"));
    assertTrue(err.toString().contains("--accept-loss belongs to --replace"), err.toString());
    assertFalse(Files.exists(Path.of(into)));
  }

  private void intoAnotherDirectory() throws IOException {
    String into = directory.resolve("salvaged").toString();
    assertEquals(2, execute("sstable", "scrub", data, "--into", data), out::toString);
    assertEquals(1, execute("sstable", "scrub", data, "--into", into, "-o", "json"), err::toString);
    List<String> lines = out.toString().lines().toList();
    assertEquals(3, lines.size(), out.toString());
    assertTrue(lines.get(0).startsWith("{\"loss\":{\"file\":\""), lines.get(0));
    assertTrue(lines.get(0).contains("\"after_key\":\"row"), lines.get(0));
    assertTrue(lines.get(0).contains("\"before_key\":\"row"), lines.get(0));
    assertTrue(lines.get(1).contains("\"rows\":\"" + ROWS + "\""), lines.get(1));
    assertTrue(lines.get(1).contains("\"rows_incomplete\":\"0\""), lines.get(1));
    assertTrue(lines.get(2).startsWith("{\"scrub\":{\"data_files\":"), lines.get(2));
    run("sstable", "verify", into);
    long rows = run("sstable", "export", into).lines().count() - 1;
    salvagedRows = rows;
    assertTrue(lines.get(1).contains("\"rows_whole\":\"" + rows + "\""), lines.get(1));
    assertTrue(lines.get(1).contains("\"rows_lost\":\"" + (ROWS - rows) + "\""), lines.get(1));
    assertEquals(2, execute("sstable", "scrub", data, "--into", into));
    assertTrue(err.toString().contains("is there already"), err.toString());
  }

  private void notWithoutAcceptance(byte[] damaged) throws IOException {
    List<Path> before = files();
    assertEquals(1, execute("sstable", "scrub", data, "--replace"), err::toString);
    assertTrue(out.toString().contains("something may be missing from after row \"row"));
    assertTrue(out.toString().contains("not replaced: --accept-loss would"), out.toString());
    assertEquals(before, files());
    assertArrayEquals(damaged, Files.readAllBytes(rows()));
  }

  private void inPlace() throws IOException {
    assertEquals(1, execute("sstable", "scrub", data, "--replace", "--accept-loss"));
    assertTrue(out.toString().contains("-Data.db.quarantined"), out.toString());
    run("sstable", "verify", data);
    run("sstable", "scrub", data, "--replace");
    Path index = Path.of(rows().toString().replace("-Data.db", "-Index.db"));
    byte[] bytes = Files.readAllBytes(index);
    bytes[bytes.length / 2] ^= 1;
    Files.write(index, bytes);
    assertTrue(run("sstable", "scrub", data, "--replace").contains(" 0 lost; written to "));
    run("sstable", "verify", data);
  }

  private void fill(Node node) {
    StringBuilder statements =
        new StringBuilder(
            "create keyspace K; use K; create column family Users with comparator = UTF8Type;");
    for (int i = 0; i < ROWS; i++) {
      statements
          .append(" set Users['row")
          .append(i)
          .append("']['c'] = '")
          .append("x".repeat(150))
          .append("';");
    }
    shell(node, statements + " flush;");
  }

  /** Flips a bit of the third block, and returns the damaged rows. */
  private byte[] damage() throws IOException {
    byte[] bytes = Files.readAllBytes(rows());
    ByteBuffer fields = ByteBuffer.wrap(bytes);
    int at = 18 + fields.getInt(10);
    for (int block = 0; block < 2; block++) {
      at += 13 + fields.getInt(at + 4);
    }
    bytes[at + 30] ^= 1;
    Files.write(rows(), bytes);
    return bytes;
  }

  private Path rows() throws IOException {
    return files().stream()
        .filter(file -> file.toString().endsWith("-Data.db"))
        .findFirst()
        .orElseThrow(() -> new UncheckedIOException(new IOException("no rows")));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(Path.of(data, "data", "keyspaces", "K"))) {
      return all.sorted().toList();
    }
  }

  private String shell(Node node, String statements) {
    return run("shell", "--port", "" + node.clientPort(), "-e", statements);
  }

  private Node start() throws Exception {
    return Node.start(NodeOptions.defaults().withDataDirectory(Path.of(data)).withFreePorts());
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
